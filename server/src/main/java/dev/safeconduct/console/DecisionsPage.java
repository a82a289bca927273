package dev.safeconduct.console;

import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The decisions: the list with its filters, and the page of one decision. */
public final class DecisionsPage {
  private static final String LIST = "/console/decisions";
  private static final int ROWS = 50;
  private static final List<String> FILTERS =
      List.of("agent_id", "policy_id", "allow", "code", "from", "to");
  private static final Pattern WITHOUT_ZONE = Pattern.compile("[0-9:T-]{16,19}");

  private final SignInPage signIn;
  private final DecisionWords words;
  private final DecisionViews views;

  DecisionsPage(SignInPage signIn, DecisionWords words, DecisionViews views) {
    this.signIn = signIn;
    this.words = words;
    this.views = views;
  }

  List<Route> routes() {
    return List.of(
        signIn.page(LIST, this::list), signIn.page(LIST + "/{decision_id}", this::detail));
  }

  /** The list; {@code console/decisions.jte}. */
  public record ListView(
      Layout shell,
      String lead,
      Map<String, String> filters,
      List<Policy> policies,
      List<DecisionWords.Line> lines,
      String next,
      String first,
      String curl) {
    public ListView {
      lines = List.copyOf(lines);
      policies = List.copyOf(policies);
    }

    /** Returns the filters of an export of the list. */
    public Map<String, String> exported() {
      var exported = new LinkedHashMap<>(filters);
      exported.put("kind", "decision");
      return exported;
    }

    public String filter(String name) {
      return filters.getOrDefault(name, "");
    }

    /** Returns a time in the format of the form's field; empty when it is not in UTC. */
    public String time(String name) {
      String time = filter(name);
      return time.endsWith("Z") ? time.substring(0, time.length() - 1) : "";
    }
  }

  /** A policy to choose. */
  public record Policy(String id, String name) {}

  private Response list(OpenPage page) {
    var filters = new LinkedHashMap<String, String>();
    for (String name : FILTERS) {
      page.query(name).ifPresent(value -> filters.put(name, zoned(value)));
    }
    String query =
        filters.entrySet().stream()
            .map(entry -> "&" + entry.getKey() + "=" + Formats.url(entry.getValue()))
            .collect(Collectors.joining());
    String target = "/api/audit?kind=decision&limit=" + ROWS + query;
    Optional<String> cursor = page.query("cursor");
    JsonObject answer = page.get(target + cursor.map(c -> "&cursor=" + Formats.url(c)).orElse(""));
    List<DecisionWords.Line> lines =
        AnswerReader.objects(answer, "records").stream()
            .map(record -> words.line(record, page.now()))
            .toList();
    String here = LIST + "?" + (query.isEmpty() ? "" : query.substring(1));
    return page.show(
        "console/decisions.jte",
        "Decisions",
        shell ->
            new ListView(
                shell,
                lead(lines, filters),
                filters,
                page.bare("/api/policies").stream()
                    .map(pack ->
                        new Policy(AnswerReader.text(pack, "id"), AnswerReader.text(pack, "name")))
                    .toList(),
                lines,
                answer
                    .string("next_cursor")
                    .map(c -> here + "&cursor=" + Formats.url(c))
                    .orElse(""),
                cursor.isEmpty() ? "" : here,
                Curl.get(page, target)));
  }

  /** Browsers send a time of day without its zone; all times of the console are UTC. */
  private static String zoned(String value) {
    return value.indexOf('T') == 10 && WITHOUT_ZONE.matcher(value).matches() ? value + "Z" : value;
  }

  private static String lead(List<DecisionWords.Line> lines, Map<String, String> filters) {
    if (lines.isEmpty()) {
      return filters.isEmpty() ? "Every decision is recorded here." : "No matching decisions.";
    }
    long denied = lines.stream().filter(line -> !line.allow() && !line.erased()).count();
    return denied == 0
        ? "The newest " + lines.size() + ", no denials."
        : "The newest " + lines.size() + ", " + Formats.count(denied) + " denied.";
  }

  private Response detail(OpenPage page) {
    String id = page.request().pathParam("decision_id");
    JsonObject record = page.get("/api/audit/" + Formats.url(id));
    if (record.isTrue("erased")) {
      return page.show(
          "console/erased.jte", "Erased decision", shell -> ErasedDecision.of(page, shell, record));
    }
    return DecisionJson.read(AnswerReader.object(record, "body")).isPresent()
        ? page.show("console/decision.jte", "Decision", shell -> views.of(page, shell, record))
        : page.show(
            "console/record.jte", "Record", shell -> DecisionViews.plain(page, shell, record));
  }
}
