package dev.safeconduct.console;

import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.Passports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The decisions: the list with its filters, and the page of one decision. */
public final class DecisionsPage {
  private static final String LIST = "/console/decisions";
  private static final int ROWS = 50;
  private static final int SEARCHED = 200;
  private static final int SHOWN_AGENTS = 12;
  private static final int MOST_SEARCHES = 5;
  private static final Pattern WITHOUT_ZONE = Pattern.compile("[0-9:T-]{16,19}");

  /** The periods to choose, in hours. */
  private static final Map<String, Integer> PERIODS =
      Map.of("1h", 1, "24h", 24, "7d", 7 * 24, "30d", 30 * 24);

  private final DecisionWords words;
  private final DecisionViews views;
  private final Passports passports;
  private final LiveEndpoint live;
  private final KnownPacks known;

  DecisionsPage(
      DecisionWords words,
      DecisionViews views,
      Passports passports,
      LiveEndpoint live,
      KnownPacks known) {
    this.words = words;
    this.views = views;
    this.passports = passports;
    this.live = live;
    this.known = known;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(LIST, this::list),
        signIn.page(LIST + "/{decision_id}", this::detail),
        signIn.page("/console/agents", DecisionsPage::options),
        signIn.form(LIST + "/{decision_id}/ask", this::ask, this::detail));
  }

  /**
   * The list; {@code console/decisions.jte}.
   *
   * @param filters the parameters of the API's list
   * @param form the texts of the form's fields
   * @param agents the agents of which the reader has to choose one
   * @param live the address of new decisions; empty if the list is not live
   */
  public record ListView(
      Layout shell,
      String lead,
      Map<String, String> filters,
      Map<String, String> form,
      List<Policy> agents,
      List<Policy> policies,
      List<Policy> reasons,
      List<DecisionWords.Line> lines,
      String live,
      String next,
      String first,
      String curl) {
    /** Returns the filters of an export of the list; empty when an export cannot have them. */
    public Map<String, String> exported() {
      if (!form("q").isEmpty()) {
        return Map.of();
      }
      var exported = new LinkedHashMap<>(filters);
      exported.put("kind", "decision");
      return exported;
    }

    public String form(String name) {
      return form.getOrDefault(name, "");
    }

    /** Returns whether the typed agent is none or several. */
    public boolean isUnclear() {
      return !form("agent").isEmpty() && !filters.containsKey("agent_id");
    }

    /** Returns whether the list has all decisions. */
    public boolean isAll() {
      return filters.isEmpty() && form("q").isEmpty() && form("agent").isEmpty();
    }

    /** Returns a time in the format of the form's field; empty when it is not in UTC. */
    public String time(String name) {
      String time = form(name);
      return time.endsWith("Z") ? time.substring(0, time.length() - 1) : "";
    }
  }

  /** A policy, an agent or a reason to choose. */
  public record Policy(String id, String name) {}

  /** Records in the order of the log, and where the next page begins. */
  private record Found(
      List<DecisionWords.Line> lines, int read, String newest, Optional<String> cursor) {}

  private Response list(OpenPage page) {
    var filters = new LinkedHashMap<String, String>();
    var form = new LinkedHashMap<String, String>();
    List<Policy> agents = agents(page, filters, form);
    for (String name : List.of("policy_id", "allow", "code")) {
      page.query(name).ifPresent(value -> filters.put(name, value));
    }
    form.putAll(filters);
    page.query("q").ifPresent(text -> form.put("q", Formats.clip(text, 200)));
    times(page, filters, form);
    Optional<String> cursor = page.query("cursor");
    boolean unclear = !form.getOrDefault("agent", "").isEmpty() && !filters.containsKey("agent_id");
    String target = "/api/audit?kind=decision" + query(filters);
    Found found =
        unclear
            ? new Found(List.of(), 0, "", Optional.empty())
            : find(page, target, cursor, form.getOrDefault("q", ""));
    String query = query(form);
    String here = LIST + "?" + (query.isEmpty() ? "" : query.substring(1));
    boolean isLive =
        cursor.isEmpty()
            && !unclear
            && !form.containsKey("q")
            && !form.containsKey("to")
            && filters.entrySet().stream()
                .allMatch(entry -> live.isKnown(page, entry.getKey(), entry.getValue()));
    return page.show(
        "console/decisions.jte",
        "Decisions",
        shell ->
            new ListView(
                shell,
                unclear ? unclear(agents) : lead(found, form, cursor.isEmpty()),
                filters,
                form,
                agents,
                known
                    .all(page.org())
                    .map(pack -> new Policy(pack.id().value(), pack.name()))
                    .toList(),
                reasons(filters.getOrDefault("code", "")),
                found.lines(),
                isLive ? live(filters, found.newest()) : "",
                found.cursor().map(c -> here + "&cursor=" + Formats.url(c)).orElse(""),
                cursor.isEmpty() ? "" : here,
                Curl.get(page, target + "&limit=" + ROWS)));
  }

  private static String query(Map<String, String> values) {
    return values.entrySet().stream()
        .map(entry -> "&" + entry.getKey() + "=" + Formats.url(entry.getValue()))
        .collect(Collectors.joining());
  }

  private static String live(Map<String, String> filters, String newest) {
    var live = new LinkedHashMap<>(filters);
    live.keySet().retainAll(LiveEndpoint.FILTERS);
    return "/console/live?after=" + (newest.isEmpty() ? "-1" : newest) + query(live);
  }

  /**
   * Reads the form's agent, which is a name or an id.
   *
   * @return the agents of that name, if there are several
   */
  private List<Policy> agents(
      OpenPage page, Map<String, String> filters, Map<String, String> form) {
    Optional<String> id = page.query("agent_id");
    Optional<String> typed = page.request().query("agent").map(String::strip);
    String known = id.map(agent -> words.agentName(agent, page.org())).orElse("");
    if (typed.isEmpty() || typed.get().equals(known.isEmpty() ? id.orElse("") : known)) {
      id.ifPresent(agent -> {
        filters.put("agent_id", agent);
        form.put("agent", known.isEmpty() ? agent : known);
      });
      return List.of();
    }
    if (typed.get().isEmpty()) {
      return List.of();
    }
    form.put("agent", Formats.clip(typed.get(), 128));
    List<Policy> named = find(page, typed.get());
    if (named.size() == 1) {
      filters.put("agent_id", named.getFirst().id());
      form.put("agent", named.getFirst().name());
      return List.of();
    }
    return named;
  }

  private static void times(OpenPage page, Map<String, String> filters, Map<String, String> form) {
    page.query("since")
        .filter(PERIODS::containsKey)
        .ifPresent(since -> {
          form.put("since", since);
          Duration period = Duration.ofHours(PERIODS.getOrDefault(since, 1));
          filters.put("from", IsoInstant.millis(page.now().minus(period)));
        });
    for (String name : List.of("from", "to")) {
      page.query(name)
          .ifPresent(value -> {
            filters.put(name, zoned(value));
            form.put(name, zoned(value));
          });
    }
  }

  /** Returns the next decisions; with a text those of the next ones that contain it. */
  private Found find(OpenPage page, String target, Optional<String> cursor, String text) {
    String part = text.toLowerCase(Locale.ROOT);
    var lines = new ArrayList<DecisionWords.Line>();
    Optional<String> next = cursor;
    String newest = "";
    int read = 0;
    int pages = part.isEmpty() ? 1 : MOST_SEARCHES;
    for (int i = 0; i < pages && lines.size() < ROWS; i++) {
      JsonObject answer =
          page.get(
              target
                  + "&limit="
                  + (part.isEmpty() ? ROWS : SEARCHED)
                  + next.map(c -> "&cursor=" + Formats.url(c)).orElse(""));
      List<JsonObject> records = answer.objects("records");
      read += records.size();
      if (i == 0 && !records.isEmpty()) {
        newest = records.getFirst().whole("log_index").map(String::valueOf).orElse("");
      }
      for (JsonObject record : records) {
        if (part.isEmpty() || mentions(record, part)) {
          lines.add(words.line(record, page.now()));
        }
      }
      next = answer.string("next_cursor");
      if (next.isEmpty()) {
        break;
      }
    }
    return new Found(lines, read, newest, next);
  }

  /** Returns whether the request's context or the reasons contain the text. */
  private static boolean mentions(JsonObject record, String part) {
    JsonArray reasons = record.child("body").list("reasons");
    JsonObject context = record.child("details").child("context");
    return (Json.text(context) + Json.text(reasons)).toLowerCase(Locale.ROOT).contains(part);
  }

  /** Returns the reasons by their meaning, with one that only a pack of the organization has. */
  private static List<Policy> reasons(String chosen) {
    List<Policy> reasons =
        Stream.of(ReasonCode.values())
            .map(code -> new Policy(code.wire(), code.message()))
            .sorted(Comparator.comparing(Policy::name))
            .collect(Collectors.toCollection(ArrayList::new));
    if (!chosen.isEmpty() && reasons.stream().noneMatch(reason -> reason.id().equals(chosen))) {
      reasons.addFirst(new Policy(chosen, Formats.clip(chosen, 100)));
    }
    return reasons;
  }

  /** Browsers send a time of day without its zone; these fields are in UTC. */
  private static String zoned(String value) {
    return value.indexOf('T') == 10 && WITHOUT_ZONE.matcher(value).matches() ? value + "Z" : value;
  }

  private static String unclear(List<Policy> agents) {
    return agents.isEmpty() ? "No agent has this name." : "Several agents match. Choose one.";
  }

  /**
   * Says what the page has. A search for a text says how far it went.
   *
   * @param first whether this is the first page
   */
  private static String lead(Found found, Map<String, String> form, boolean first) {
    boolean searched = form.containsKey("q") && found.cursor().isPresent();
    String within =
        searched
            ? " in the "
                + (first ? "newest " : "next ")
                + Formats.count(found.read())
                + " decisions that fit the other filters"
            : "";
    if (found.lines().isEmpty()) {
      return searched
          ? "No matches" + within + ". Older ones are on the next page."
          : form.isEmpty() ? "Every decision is recorded here." : "No matching decisions.";
    }
    long denied = found.lines().stream().filter(line -> !line.allow() && !line.erased()).count();
    return (form.containsKey("q")
            ? Formats.count(found.lines().size(), "match", "matches") + within
            : (first ? "The newest " : "The next ") + found.lines().size())
        + (denied == 0 ? ", no denials." : ", " + Formats.count(denied) + " denied.")
        + (searched ? " Older ones are on the next page." : "");
  }

  private Response detail(OpenPage page) {
    String id = page.param("decision_id");
    JsonObject record = page.get("/api/audit/" + Formats.url(id));
    if (record.isTrue("erased")) {
      return page.show(
          "console/erased.jte", "Erased decision", shell -> ErasedDecision.of(page, shell, record));
    }
    return DecisionJson.read(record.child("body")).isPresent()
        ? page.show("console/decision.jte", "Decision", shell -> views.of(page, shell, record))
        : page.show(
            "console/record.jte", "Record", shell -> DecisionViews.plain(page, shell, record));
  }

  /** Asks for approval of exactly the recorded request. */
  private Response ask(OpenPage page) {
    JsonObject question = JsonObject.of("decision_id", page.param("decision_id"));
    JsonObject asked = page.send("POST", "/api/approvals", question);
    return OpenPage.done(
        "/console/approvals/" + asked.child("approval").text("approval_id"),
        FlashMessage.APPROVAL_ASKED);
  }

  /** The options for a field; {@code console/agents.jte}. */
  public record Options(List<Policy> agents) {}

  private static Response options(OpenPage page) {
    return page.part(
        "console/agents.jte", new Options(matches(page, page.query("agent").orElse(""))));
  }

  /** Returns the agents with exactly that name, slug or id; if there are none, those that match. */
  private List<Policy> find(OpenPage page, String text) {
    if (!page.may("GET", "/api/passports")) {
      return List.of();
    }
    List<Policy> exact =
        passports.named(new OrgId(page.org()), text, SHOWN_AGENTS).stream()
            .map(passport ->
                new Policy(passport.agentId().value(), Formats.clip(passport.name(), 60)))
            .toList();
    return exact.isEmpty() ? matches(page, text) : exact;
  }

  private static List<Policy> matches(OpenPage page, String text) {
    String target =
        "/api/passports?limit=" + SHOWN_AGENTS + "&q=" + Formats.url(Formats.clip(text, 128));
    return page.list(target, "passports").stream()
        .map(passport ->
            new Policy(passport.text("agent_id"), Formats.clip(passport.text("name"), 60)))
        .toList();
  }
}
