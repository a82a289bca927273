package dev.safeconduct.console;

import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.RecordKind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The audit log: every record, and the proof that none has changed. */
public final class AuditPage {
  private static final String LIST = "/console/audit";
  private static final int ROWS = 50;

  private final DecisionWords words;

  AuditPage(DecisionWords words) {
    this.words = words;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(signIn.page(LIST, this::list));
  }

  /** The page; {@code console/audit.jte}. */
  public record RecordList(
      Layout shell,
      String lead,
      String checkpoint,
      List<Kind> kinds,
      List<Row> rows,
      String next,
      String first,
      String curl) {
    /** Returns the filters of an export of the list. */
    public Map<String, String> filters() {
      return kinds.stream().filter(Kind::chosen).collect(Collectors.toMap(_ -> "kind", Kind::wire));
    }
  }

  /** A kind of record to choose. */
  public record Kind(String wire, String name, boolean chosen) {}

  /** A record in the list. */
  public record Row(
      String index,
      String kind,
      String what,
      String link,
      Actors.Actor who,
      String from,
      Formats.When at) {}

  private Response list(OpenPage page) {
    String kind = page.query("kind").filter(text -> RecordKind.parse(text).isPresent()).orElse("");
    String query = kind.isEmpty() ? "" : "&kind=" + kind;
    String here = kind.isEmpty() ? LIST : LIST + "?kind=" + kind;
    String target = "/api/audit?limit=" + ROWS + query;
    JsonObject answer = page.get(target + page.cursor());
    String note = page.text("/api/audit/checkpoint");
    Inclusion.Checkpoint checkpoint = Inclusion.Checkpoint.read(note);
    return page.show(
        "console/audit.jte",
        "Audit & proof",
        shell ->
            new RecordList(
                shell,
                "The checkpoint below covers "
                    + Formats.count(checkpoint.size(), "record", "records")
                    + ". Keep a copy of it to prove later that no earlier record was changed, removed"
                    + " or inserted.",
                note,
                Arrays.stream(RecordKind.values())
                    .map(k -> new Kind(k.wire(), Formats.words(k.wire()), k.wire().equals(kind)))
                    .toList(),
                answer.objects("records").stream().map(r -> row(r, page)).toList(),
                OpenPage.next(here, answer),
                page.cursor().isEmpty() ? "" : here,
                Curl.get(page, target)));
  }

  static Inclusion.Checkpoint checkpoint(OpenPage page) {
    return Inclusion.Checkpoint.read(page.text("/api/audit/checkpoint"));
  }

  private Row row(JsonObject record, OpenPage page) {
    JsonObject body = record.child("body");
    JsonObject details = record.child("details");
    String kind = record.text("kind");
    boolean decision = kind.equals("decision");
    return new Row(
        record.whole("log_index").map(Formats::count).orElse(""),
        Formats.words(kind),
        record.isTrue("erased")
            ? "erased"
            : decision ? words.line(record, page.now()).what() : what(page, record, body),
        decision
            ? "/console/decisions/" + record.text("record_id")
            : record
                .string("agent_id")
                .map(agent -> "/console/passports/" + Formats.url(agent))
                .orElse(""),
        who(page, details.text("caller"), body),
        details.text("address"),
        page.when(record.text("at")));
  }

  /** A sign-in has no caller yet; the record names the account. */
  private static Actors.Actor who(OpenPage page, String caller, JsonObject body) {
    String account = body.text("account_id");
    return page.actor(
        caller.equals("anonymous") && !account.isEmpty() ? "account:" + account : caller);
  }

  private static String what(OpenPage page, JsonObject record, JsonObject body) {
    var text = new StringBuilder();
    record.string("agent_id").ifPresent(agent -> text.append(page.agentName(agent)));
    body.string("key_id").ifPresent(key -> add(text, page.actor("key:" + key).name()));
    body.string("account_id")
        .ifPresent(account -> add(text, page.actor("account:" + account).name()));
    for (String name :
        List.of("change", "status", "reason", "name", "role", "policy_id", "version", "origin")) {
      if (body.present(name) != null) {
        String value = Formats.plain(java.util.Objects.requireNonNull(body.get(name)));
        add(text, name.equals("change") ? Formats.words(value) : Formats.words(name) + " " + value);
      }
    }
    return text.isEmpty() ? "—" : Formats.clip(text.toString(), 200);
  }

  private static void add(StringBuilder text, String part) {
    text.append(text.isEmpty() ? "" : ", ").append(part);
  }
}
