package dev.safeconduct.console;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says in words what a passport is, may do and has been through. */
final class PassportStory {
  private static final int EVENTS = 50;
  private static final int LONG_VALUE = 2000;

  private final RecentActivity activity;

  PassportStory(RecentActivity activity) {
    this.activity = activity;
  }

  /** What capabilities are called, by their ids. */
  Map<String, String> capabilityNames(OpenPage page) {
    var names = new LinkedHashMap<String, String>();
    for (JsonObject known : known(page)) {
      names.put(Read.text(known, "id"), Read.text(known, "name"));
    }
    return names;
  }

  private static List<JsonObject> known(OpenPage page) {
    return Read.objects(page.get("/api/schema/capabilities-limits"), "capabilities");
  }

  PassportsPage.Detail detail(OpenPage page, Shell shell, JsonObject passport) {
    String id = Read.text(passport, "agent_id");
    String path = "/console/passports/" + Show.url(id);
    String status = Read.text(passport, "status");
    List<PassportsPage.Ability> abilities = abilities(page, passport);
    RecentActivity.OfAgent done = activity.ofAgent(page.org(), id);
    boolean mayAudit = page.may("GET", "/api/passports/x/history");
    return new PassportsPage.Detail(
        shell,
        path,
        id,
        Show.clip(Read.text(passport, "name"), 100),
        status,
        lead(status, abilities.size(), done),
        activity(done),
        page.may("PUT", "/api/passports/x/status") ? moves(page, status, done) : List.of(),
        facts(passport),
        abilities,
        capabilityNames(page).entrySet().stream()
            .filter(entry -> abilities.stream().noneMatch(a -> a.id().equals(entry.getKey())))
            .map(Map.Entry::getValue)
            .toList(),
        mayAudit ? history(page, id) : List.of(),
        page.may("PATCH", "/api/passports/x") && !status.equals("revoked"),
        page.may("POST", "/api/passports/x/instances") && !status.equals("revoked"),
        mayAudit,
        Curl.get(page, "/api/passports/" + Show.url(id)));
  }

  private static String lead(String status, int abilities, RecentActivity.OfAgent done) {
    String may =
        abilities == 0
            ? "It may do nothing yet."
            : "It may do " + Show.count(abilities, "kind of action", "kinds of actions") + ".";
    return switch (status) {
      case "active" -> may + (done.total() == 0 ? " It has asked for nothing so far." : "");
      case "suspended" -> "Suspended: every question of this agent is denied.";
      case "revoked" -> "Revoked for good: this agent never acts again.";
      default -> "A draft: activate it, and the agent can be judged.";
    };
  }

  private static String activity(RecentActivity.OfAgent done) {
    if (done.total() == 0) {
      return "No decision yet.";
    }
    return Show.count(done.allowed())
        + " allowed and "
        + Show.count(done.denied())
        + " denied since "
        + done.since()
        + ".";
  }

  private List<PassportsPage.Move> moves(
      OpenPage page, String status, RecentActivity.OfAgent done) {
    String open = page.query("do").orElse("");
    int told = page.list("/api/webhooks?limit=200", "webhooks").size();
    String receivers =
        told == 0
            ? "Nobody is told by webhook."
            : Show.count(told, "receiver is told.", "receivers are told.");
    long perMinute = done.total() / Math.max(1, done.minutes());
    String rate =
        (perMinute > 0
                ? "About "
                    + Show.count(perMinute, "decision", "decisions")
                    + " a minute become denies"
                : "Every question it asks becomes a deny")
            + ", at once here and within a second on other nodes. ";
    var moves = new ArrayList<PassportsPage.Move>();
    if (status.equals("active")) {
      moves.add(
          new PassportsPage.Move(
              "suspended",
              "Suspend…",
              "Suspend now",
              "danger",
              rate + receivers + " You can activate it again later.",
              "For example: deletes files it should not touch",
              false,
              false,
              open.equals("suspended")));
    }
    if (status.equals("suspended") || status.equals("draft")) {
      moves.add(
          new PassportsPage.Move(
              "active",
              "Activate…",
              "Activate now",
              "",
              "It is judged by its policies again. " + receivers,
              "For example: the prompt is fixed",
              false,
              false,
              open.equals("active")));
    }
    if (!status.equals("revoked")) {
      moves.add(
          new PassportsPage.Move(
              "revoked",
              "Revoke…",
              "Revoke for good",
              "danger",
              "It is denied for ever; this cannot be undone. " + receivers,
              "For example: decommissioned",
              true,
              true,
              open.equals("revoked")));
    }
    return moves;
  }

  private static List<PassportsPage.Fact> facts(JsonObject passport) {
    var facts = new ArrayList<PassportsPage.Fact>();
    fact(facts, "Description", Read.text(passport, "description"));
    fact(facts, "Role", Read.text(passport, "role"));
    fact(facts, "Slug", Read.text(passport, "slug"));
    fact(facts, "Assurance", Read.text(passport, "assurance_level"));
    fact(facts, "Framework", String.join(", ", Read.texts(passport, "framework")));
    fact(facts, "Regions", String.join(", ", Read.texts(passport, "regions")));
    fact(facts, "Kind", Read.text(passport, "kind"));
    fact(
        facts,
        "Made from",
        passport.string("parent_agent_id").or(() -> passport.string("template_id")).orElse(""));
    fact(facts, "Contact", Read.text(passport, "contact"));
    fact(facts, "Expires", Read.text(passport, "expires_at"));
    return facts;
  }

  private static void fact(List<PassportsPage.Fact> facts, String name, String value) {
    if (!value.isEmpty()) {
      facts.add(new PassportsPage.Fact(name, Show.clip(value, 300)));
    }
  }

  private static List<PassportsPage.Ability> abilities(OpenPage page, JsonObject passport) {
    var known = new LinkedHashMap<String, JsonObject>();
    for (JsonObject capability : known(page)) {
      known.put(Read.text(capability, "id"), capability);
    }
    JsonObject limits = Read.object(passport, "limits");
    return Read.objects(passport, "capabilities").stream()
        .map(held -> {
          String id = Read.text(held, "id");
          JsonObject meaning = known.getOrDefault(id, JsonObject.EMPTY);
          String container = meaning.string("limits_container").orElse(id);
          JsonObject own = Read.object(limits, container);
          return new PassportsPage.Ability(
              id,
              meaning.string("name").orElse(Show.words(id)),
              Read.text(meaning, "description"),
              own.names().stream()
                  .map(name -> new PassportsPage.Fact(Show.words(name), value(own.get(name))))
                  .toList());
        })
        .toList();
  }

  private static String value(@org.jspecify.annotations.Nullable JsonValue value) {
    return switch (value) {
      case dev.safeconduct.json.JsonArray list ->
          list.isEmpty()
              ? "none"
              : Show.clip(
                  String.join(", ", list.elements().stream().map(Read::plain).toList()),
                  LONG_VALUE);
      case dev.safeconduct.json.JsonBoolean flag ->
          flag == dev.safeconduct.json.JsonBoolean.TRUE ? "yes" : "no";
      case null -> "";
      default -> Show.clip(Read.plain(value), LONG_VALUE);
    };
  }

  private static List<PassportsPage.Event> history(OpenPage page, String id) {
    return Read.objects(
            page.get("/api/passports/" + Show.url(id) + "/history?limit=" + EVENTS), "history")
        .stream()
        .map(record ->
            new PassportsPage.Event(
                what(record),
                Read.text(record, "reason"),
                Words.caller(Read.text(record, "caller")),
                Show.when(Read.text(record, "at"), page.now())))
        .toList();
  }

  private static String what(JsonObject record) {
    return switch (Read.text(record, "kind")) {
      case "status_change" ->
          Show.sentence(Read.text(record, "status"))
              + record.string("previous_status").map(before -> ", was " + before).orElse("");
      case "passport_issued" -> "Issued";
      case "passport_claimed" -> "Claimed by a person";
      case "passport_updated" ->
          "Changed: "
              + String.join(", ", Read.texts(record, "changed").stream().map(Show::words).toList());
      default -> Show.sentence(Show.words(Read.text(record, "kind")));
    };
  }
}
