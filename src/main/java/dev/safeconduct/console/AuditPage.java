package dev.safeconduct.console;

import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The audit log: every record, and what proves that none has changed. */
public final class AuditPage {
  private static final String LIST = "/console/audit";
  private static final int ROWS = 50;

  private final DoorPage door;
  private final DecisionWords words;

  AuditPage(DoorPage door, DecisionWords words) {
    this.door = door;
    this.words = words;
  }

  List<Route> routes() {
    return List.of(door.page(LIST, this::list));
  }

  /** The page; {@code console/audit.jte}. */
  public record View(
      Shell shell,
      String lead,
      String checkpoint,
      List<Kind> kinds,
      List<Row> rows,
      String next,
      String first,
      String curl) {
    public View {
      kinds = List.copyOf(kinds);
      rows = List.copyOf(rows);
    }

    /** What an export of the list is narrowed by. */
    public Map<String, String> filters() {
      return kinds.stream().filter(Kind::chosen).collect(Collectors.toMap(_ -> "kind", Kind::wire));
    }
  }

  /** A kind to choose. */
  public record Kind(String wire, String name, boolean chosen) {}

  /** A record in the list. */
  public record Row(
      String index, String kind, String what, String link, String who, String from, Show.When at) {}

  private Response list(OpenPage page) {
    String kind = page.query("kind").filter(text -> RecordKind.parse(text).isPresent()).orElse("");
    String query = kind.isEmpty() ? "" : "&kind=" + kind;
    Optional<String> cursor = page.query("cursor");
    String target = "/api/audit?limit=" + ROWS + query;
    JsonObject answer = page.get(target + cursor.map(c -> "&cursor=" + Show.url(c)).orElse(""));
    String note = page.text("/api/audit/checkpoint");
    Inclusion.Checkpoint checkpoint = Inclusion.Checkpoint.read(note);
    return page.show(
        "console/audit.jte",
        "Audit & proof",
        shell ->
            new View(
                shell,
                Show.count(checkpoint.size(), "record is", "records are")
                    + " sealed under the checkpoint below. Whoever keeps a copy of it can prove later"
                    + " that nothing before it was changed, removed or put in between.",
                note,
                Arrays.stream(RecordKind.values())
                    .map(k -> new Kind(k.wire(), Show.words(k.wire()), k.wire().equals(kind)))
                    .toList(),
                Read.objects(answer, "records").stream().map(r -> row(r, page)).toList(),
                answer
                    .string("next_cursor")
                    .map(c -> LIST + "?cursor=" + Show.url(c) + query)
                    .orElse(""),
                cursor.isEmpty() ? "" : LIST + "?" + query,
                Curl.get(page, target)));
  }

  static Inclusion.Checkpoint checkpoint(OpenPage page) {
    return Inclusion.Checkpoint.read(page.text("/api/audit/checkpoint"));
  }

  private Row row(JsonObject record, OpenPage page) {
    JsonObject body = Read.object(record, "body");
    JsonObject details = Read.object(record, "details");
    String kind = Read.text(record, "kind");
    boolean decision = kind.equals("decision");
    return new Row(
        Read.whole(record, "log_index").map(Show::count).orElse(""),
        Show.words(kind),
        record.isTrue("erased")
            ? "erased"
            : decision ? words.line(record, page.now()).what() : what(body),
        decision
            ? "/console/decisions/" + Read.text(record, "record_id")
            : record
                .string("agent_id")
                .map(agent -> "/console/passports/" + Show.url(agent))
                .orElse(""),
        who(Read.text(details, "caller"), body),
        Read.text(details, "address"),
        Show.when(Read.text(record, "at"), page.now()));
  }

  /** Whoever signs in is nobody yet; the record says who they turned out to be. */
  private static String who(String caller, JsonObject body) {
    String account = Read.text(body, "account_id");
    return Words.caller(
        caller.equals("anonymous") && !account.isEmpty() ? "account:" + account : caller);
  }

  private static String what(JsonObject body) {
    var told = new StringBuilder();
    for (String name :
        List.of(
            "change",
            "status",
            "reason",
            "name",
            "role",
            "policy_id",
            "version",
            "origin",
            "key_id")) {
      if (body.present(name) != null) {
        String value = Read.plain(java.util.Objects.requireNonNull(body.get(name)));
        told.append(told.isEmpty() ? "" : ", ")
            .append(name.equals("change") ? Show.words(value) : Show.words(name) + " " + value);
      }
    }
    return told.isEmpty() ? "—" : Show.clip(told.toString(), 200);
  }
}
