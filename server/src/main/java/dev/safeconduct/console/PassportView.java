package dev.safeconduct.console;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.console.PassportsPage.Ability;
import dev.safeconduct.console.PassportsPage.Assurance;
import dev.safeconduct.console.PassportsPage.Detail;
import dev.safeconduct.console.PassportsPage.Event;
import dev.safeconduct.console.PassportsPage.Fact;
import dev.safeconduct.console.PassportsPage.Move;
import dev.safeconduct.console.PassportsPage.Quota;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.MoneyForm;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.simulate.CountedUse;
import dev.safeconduct.verify.UsageLookup;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes a passport in words: its data, its capabilities and its history. */
public final class PassportView {
  /** How many decisions are read for the values that limits are counted for. */
  private static final int RECENT = 50;

  /** How many values of such a limit are shown. */
  private static final int FULLEST = 3;

  private static final int EVENTS = 50;
  private static final int LONG_VALUE = 2000;

  private final RecentActivity activity;
  private final KnownPacks known;
  private final UsageLookup usage;

  public PassportView(RecentActivity activity, KnownPacks known, UsageLookup usage) {
    this.activity = activity;
    this.known = known;
    this.usage = usage;
  }

  /** Returns the names of the capabilities by their ids. */
  public Map<String, String> capabilityNames(OpenPage page) {
    var names = new LinkedHashMap<String, String>();
    for (JsonObject known : known(page)) {
      names.put(known.text("id"), known.text("name"));
    }
    return names;
  }

  private static List<JsonObject> known(OpenPage page) {
    return page.get("/api/schema/capabilities-limits").objects("capabilities");
  }

  public Detail detail(OpenPage page, Layout shell, JsonObject passport) {
    String id = passport.text("agent_id");
    String path = "/console/passports/" + Formats.url(id);
    String status = passport.text("status");
    List<Ability> abilities = abilities(page, passport);
    RecentActivity.OfAgent done = activity.ofAgent(page.org(), id);
    boolean mayAudit = page.may("GET", "/api/passports/x/history");
    return new Detail(
        shell,
        path,
        id,
        Formats.clip(passport.text("name"), 100),
        status,
        isExpired(page, passport),
        isExpired(page, passport) && status.equals("active")
            ? "Expired: every request of this agent is denied until you change its expiry."
            : lead(status, abilities.size(), done),
        activity(done),
        page.may("PUT", "/api/passports/x/status") ? moves(page, status, done) : List.of(),
        facts(page, passport),
        abilities,
        capabilityNames(page).entrySet().stream()
            .filter(entry -> abilities.stream().noneMatch(a -> a.id().equals(entry.getKey())))
            .map(Map.Entry::getValue)
            .toList(),
        assurance(page, passport, abilities),
        quotas(page, passport, id),
        mayAudit ? history(page, id) : List.of(),
        page.may("PATCH", "/api/passports/x") && !status.equals("revoked"),
        page.may("POST", "/api/passports/x/instances") && !status.equals("revoked"),
        mayAudit,
        page.may("PUT", "/api/passports/x/mode"),
        Curl.get(page, "/api/passports/" + Formats.url(id)));
  }

  static boolean isExpired(OpenPage page, JsonObject passport) {
    return JudgedPassport.Expiry.of(passport).isOver(page.now());
  }

  private static String lead(String status, int abilities, RecentActivity.OfAgent done) {
    String may =
        abilities == 0
            ? "No capabilities yet."
            : Formats.count(abilities, "capability", "capabilities") + ".";
    return switch (status) {
      case "active" -> may + (done.total() == 0 ? " No recent requests." : "");
      case "suspended" -> "Suspended: every request of this agent is denied.";
      case "revoked" -> "Revoked: every request of this agent is denied, permanently.";
      default -> "Draft: activate it to let the agent request decisions.";
    };
  }

  private static String activity(RecentActivity.OfAgent done) {
    if (done.total() == 0) {
      return "No recent decisions.";
    }
    return "%s allowed and %s denied since %s."
        .formatted(Formats.count(done.allowed()), Formats.count(done.denied()), done.since());
  }

  /**
   * Returns the counted limits that the passport sets for packs it may use; of those that are
   * counted for each value of a request, the fullest few.
   */
  private List<Quota> quotas(OpenPage page, JsonObject passport, String id) {
    var held = passport.array("capabilities").map(Capabilities::new).orElse(Capabilities.NONE);
    var recent = new ArrayList<JsonObject>();
    Function<String, List<String>> seen =
        field -> {
          if (recent.isEmpty()) {
            recent.addAll(
                page.list(
                    "/api/audit?kind=decision&limit=" + RECENT + "&agent_id=" + Formats.url(id),
                    "records"));
            recent.add(JsonObject.EMPTY); // read once, also if there are none
          }
          return recent.stream()
              .flatMap(record -> NextSteps.context(record).string(field).stream())
              .filter(text -> !text.isEmpty() && !text.contains(Redaction.MARK))
              .distinct()
              .toList();
        };
    Map<String, List<CountedUse>> uses =
        AgentId.hosted(id).stream()
            .flatMap(agent ->
                known
                    .all(page.org())
                    .filter(pack -> held.holdsAny(pack.capabilities()))
                    .flatMap(pack ->
                        CountedUse.of(
                            new OrgId(page.org()), agent, passport, pack, seen, usage, page.now())
                            .stream()))
            .collect(
                Collectors.groupingBy(
                    use -> use.pack().id() + " " + use.limit(),
                    LinkedHashMap::new,
                    Collectors.toList()));
    return uses.values().stream()
        .flatMap(same ->
            same.getFirst().limit().by().isEmpty() || !same.getFirst().limit().key().isEmpty()
                ? same.stream()
                : same.stream()
                    .sorted(Comparator.comparingLong(CountedUse::used).reversed())
                    .limit(FULLEST))
        .map(use -> quota(use, page.now()))
        .toList();
  }

  private static Quota quota(CountedUse use, Instant now) {
    boolean money = use.limit().key().endsWith("currency") && MoneyForm.isCurrency(use.entry());
    String used =
        money ? MoneyForm.amount((double) use.used(), use.entry()) : Formats.count(use.used());
    String cap = money ? MoneyForm.amount(use.cap(), use.entry()) : Formats.count((long) use.cap());
    String limit = use.limit().member().isEmpty() ? use.limit().limit() : use.limit().member();
    return new Quota(
        Formats.sentence(Formats.words(limit))
            + (use.entry().isEmpty() ? "" : ", " + Formats.clip(use.entry(), 60)),
        use.pack().name(),
        used + " of " + cap,
        use.cap() <= 0 ? 100 : (int) Math.min(100, 100.0 * use.used() / use.cap()),
        reset(use.limit().counter().getLast(), now));
  }

  private static String reset(String window, Instant now) {
    return switch (window) {
      case "minute" -> "of the last minute";
      case "hour" -> "of the last hour";
      case "24h" -> "of the last 24 hours";
      case "day" ->
          "resets at 00:00 UTC, in "
              + Duration.between(now, now.truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS))
                  .plusMinutes(59)
                  .toHours()
              + " h";
      case "forever" -> "never resets";
      default -> "until they end";
    };
  }

  private Assurance assurance(OpenPage page, JsonObject passport, List<Ability> abilities) {
    AssuranceLevel level = AssuranceNeeds.of(passport);
    return new Assurance(
        level.wire(),
        AssuranceNeeds.of(known, page).above(level, abilities.stream().map(Ability::id).toList()),
        page.may("POST", "/api/admin/assurance") && !passport.text("status").equals("revoked")
            ? Stream.of(AssuranceLevel.values()).map(AssuranceLevel::wire).toList()
            : List.of());
  }

  private List<Move> moves(OpenPage page, String status, RecentActivity.OfAgent done) {
    String open = page.query("do").orElse("");
    int endpoints = WebhooksPage.all(page, 200).size();
    String receivers =
        endpoints == 0
            ? "No webhook endpoint is notified."
            : Formats.count(
                endpoints, "webhook endpoint is notified.", "webhook endpoints are notified.");
    long perMinute = done.total() / Math.max(1, done.minutes());
    String rate =
        (perMinute > 0
                ? "About "
                    + Formats.count(perMinute, "decision", "decisions")
                    + " a minute will be denied"
                : "Every request will be denied")
            + ", immediately here and within a second on other nodes. ";
    var moves = new ArrayList<Move>();
    if (status.equals("active")) {
      moves.add(
          new Move(
              "suspended",
              "Suspend…",
              "Suspend now",
              "danger",
              rate + receivers + " You can activate it again later.",
              "For example: deletes files it should not touch",
              false,
              open.equals("suspended")));
    }
    if (status.equals("suspended") || status.equals("draft")) {
      moves.add(
          new Move(
              "active",
              "Activate…",
              "Activate now",
              "",
              "Policies decide on its requests again. " + receivers,
              "For example: the prompt is fixed",
              false,
              open.equals("active")));
    }
    if (!status.equals("revoked")) {
      moves.add(
          new Move(
              "revoked",
              "Revoke…",
              "Revoke permanently",
              "danger",
              "Every request is denied permanently; this cannot be undone. " + receivers,
              "For example: decommissioned",
              true,
              open.equals("revoked")));
    }
    return moves;
  }

  private static List<Fact> facts(OpenPage page, JsonObject passport) {
    var facts = new ArrayList<Fact>();
    fact(facts, "Description", passport.text("description"));
    fact(facts, "Role", passport.text("role"));
    fact(facts, "Slug", passport.text("slug"));
    fact(facts, "Assurance", passport.text("assurance_level"));
    fact(facts, "Framework", String.join(", ", passport.texts("framework")));
    fact(facts, "Regions", String.join(", ", passport.texts("regions")));
    fact(facts, "Kind", passport.text("kind"));
    fact(
        facts,
        "Template",
        passport.string("parent_agent_id").or(() -> passport.string("template_id")).orElse(""));
    fact(facts, "Contact", passport.text("contact"));
    fact(facts, "Expires", passport.text("expires_at"));
    HooksForm hooks = HooksForm.of(passport);
    fact(facts, "MCP servers of hooks", hooks.servers().replace("\n", ", "));
    fact(facts, "Tools of hooks", hooks.tools().replace("\n", ", "));
    fact(facts, "Run without asking", hooks.autoApprove().replace("\n", ", "));
    ManagedByCode.facts(page, passport.text("agent_id"))
        .forEach((name, value) -> fact(facts, name, value));
    return facts;
  }

  private static void fact(List<Fact> facts, String name, String value) {
    if (!value.isEmpty()) {
      facts.add(new Fact(name, Formats.clip(value, 300)));
    }
  }

  private static List<Ability> abilities(OpenPage page, JsonObject passport) {
    var meanings = new LinkedHashMap<String, JsonObject>();
    for (JsonObject capability : known(page)) {
      meanings.put(capability.text("id"), capability);
    }
    JsonObject limits = passport.child("limits");
    return passport.objects("capabilities").stream()
        .map(held -> {
          String id = held.text("id");
          JsonObject meaning = meanings.getOrDefault(id, JsonObject.EMPTY);
          String container = meaning.string("limits_container").orElse(id);
          JsonObject own = limits.child(container);
          return new Ability(
              id,
              meaning.string("name").orElse(Formats.words(id)),
              meaning.text("description"),
              own.names().stream()
                  .map(name -> new Fact(Formats.words(name), value(own.get(name))))
                  .toList());
        })
        .toList();
  }

  private static String value(@org.jspecify.annotations.Nullable JsonValue value) {
    return switch (value) {
      case JsonArray list ->
          list.isEmpty()
              ? "none"
              : Formats.clip(
                  String.join(", ", list.elements().stream().map(Formats::plain).toList()),
                  LONG_VALUE);
      case JsonBoolean flag -> flag == JsonBoolean.TRUE ? "yes" : "no";
      case null -> "";
      default -> Formats.clip(Formats.plain(value), LONG_VALUE);
    };
  }

  private static List<Event> history(OpenPage page, String id) {
    return page
        .get("/api/passports/" + Formats.url(id) + "/history?limit=" + EVENTS)
        .objects("history")
        .stream()
        .map(record ->
            new Event(
                what(record),
                record.string("reason").or(() -> record.string("method")).orElse(""),
                page.actor(record.text("caller")),
                page.when(record.text("at"))))
        .toList();
  }

  private static String what(JsonObject record) {
    return switch (record.text("kind")) {
      case "status_change" ->
          Formats.sentence(record.text("status"))
              + record.string("previous_status").map(before -> ", was " + before).orElse("");
      case "passport_issued" -> "Issued";
      case "passport_claimed" -> "Claimed by a person";
      case "passport_updated" ->
          "Changed: "
              + String.join(", ", record.texts("changed").stream().map(Formats::words).toList());
      default -> Formats.sentence(Formats.words(record.text("kind")));
    };
  }
}
