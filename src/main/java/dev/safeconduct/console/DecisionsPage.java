package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The decisions: the list with its filters, and each as a story. */
public final class DecisionsPage {
  private static final String LIST = "/console/decisions";
  private static final int ROWS = 50;
  private static final List<String> FILTERS =
      List.of("agent_id", "policy_id", "allow", "code", "from", "to");
  private static final Pattern WITHOUT_ZONE = Pattern.compile("[0-9:T-]{16,19}");

  private final DoorPage door;
  private final DecisionWords words;
  private final DecisionStory story;

  DecisionsPage(DoorPage door, DecisionWords words, DecisionStory story) {
    this.door = door;
    this.words = words;
    this.story = story;
  }

  List<Route> routes() {
    return List.of(door.page(LIST, this::list), door.page(LIST + "/{decision_id}", this::detail));
  }

  /** The list; {@code console/decisions.jte}. */
  public record ListView(
      Shell shell,
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

    /** What an export of the list is narrowed by. */
    public Map<String, String> exported() {
      var exported = new LinkedHashMap<>(filters);
      exported.put("kind", "decision");
      return exported;
    }

    public String filter(String name) {
      return filters.getOrDefault(name, "");
    }

    /** A time as the form's field takes it; empty when it is not in UTC. */
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
            .map(entry -> "&" + entry.getKey() + "=" + Show.url(entry.getValue()))
            .collect(Collectors.joining());
    String target = "/api/audit?kind=decision&limit=" + ROWS + query;
    Optional<String> cursor = page.query("cursor");
    JsonObject answer = page.get(target + cursor.map(c -> "&cursor=" + Show.url(c)).orElse(""));
    List<DecisionWords.Line> lines =
        Read.objects(answer, "records").stream()
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
                    .map(pack -> new Policy(Read.text(pack, "id"), Read.text(pack, "name")))
                    .toList(),
                lines,
                answer.string("next_cursor").map(c -> here + "&cursor=" + Show.url(c)).orElse(""),
                cursor.isEmpty() ? "" : here,
                Curl.get(page, target)));
  }

  /** Browsers send a time of day without its zone; all times of the console are UTC. */
  private static String zoned(String value) {
    return value.indexOf('T') == 10 && WITHOUT_ZONE.matcher(value).matches() ? value + "Z" : value;
  }

  private static String lead(List<DecisionWords.Line> lines, Map<String, String> filters) {
    if (lines.isEmpty()) {
      return filters.isEmpty()
          ? "Every question an agent asks is recorded here with its answer."
          : "No decision fits.";
    }
    long denied = lines.stream().filter(line -> !line.allow() && !line.erased()).count();
    return denied == 0
        ? "Of the newest " + lines.size() + ", none was denied."
        : "Of the newest " + lines.size() + ", " + Show.count(denied) + " were denied.";
  }

  private Response detail(OpenPage page) {
    String id = page.request().pathParam("decision_id");
    JsonObject record = page.get("/api/audit/" + Show.url(id));
    return record.isTrue("erased")
        ? page.show(
            "console/erased.jte",
            "An erased decision",
            shell -> ErasedDecision.tell(page, shell, record))
        : page.show("console/decision.jte", "Decision", shell -> story.tell(page, shell, record));
  }
}
