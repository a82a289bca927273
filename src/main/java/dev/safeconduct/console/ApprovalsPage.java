package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Approvals: what waits for the reader's answer, and what has been answered. */
public final class ApprovalsPage {
  private static final String LIST = "/console/approvals";
  private static final String API = "/api/approvals";
  private static final int ROWS = 50;
  private static final int LONG = 20_000;

  private final DoorPage door;
  private final DecisionWords words;

  ApprovalsPage(DoorPage door, DecisionWords words) {
    this.door = door;
    this.words = words;
  }

  List<Route> routes() {
    return List.of(
        door.page(LIST, this::list),
        door.page(LIST + "/{approval_id}", this::detail),
        door.form(LIST + "/{approval_id}/approve", page -> answer(page, "approve", Done.APPROVED)),
        door.form(LIST + "/{approval_id}/refuse", page -> answer(page, "refuse", Done.REFUSED)));
  }

  /** The list; {@code console/approvals.jte}. */
  public record ListView(
      Shell shell, String lead, List<Row> waiting, List<Row> past, String next, String curl) {
    public ListView {
      waiting = List.copyOf(waiting);
      past = List.copyOf(past);
    }
  }

  /** An approval in the list. */
  public record Row(
      String path,
      String agent,
      String agentId,
      String policy,
      String status,
      Show.When asked,
      Show.When until,
      String comment) {}

  private Response list(OpenPage page) {
    List<Row> waiting = new ArrayList<>();
    List<Row> past = new ArrayList<>();
    JsonObject answer =
        page.get(
            API
                + "?limit="
                + ROWS
                + page.query("cursor").map(c -> "&cursor=" + Show.url(c)).orElse(""));
    for (JsonObject approval : Read.objects(answer, "approvals")) {
      Row row = row(approval, page);
      (row.status().equals("pending") ? waiting : past).add(row);
    }
    return page.show(
        "console/approvals.jte",
        "Approvals",
        shell ->
            new ListView(
                shell,
                waiting.isEmpty()
                    ? "Nothing waits for you."
                    : Show.count(waiting.size(), "action waits", "actions wait")
                        + " for a person. Unanswered, it stays denied.",
                waiting,
                past,
                answer.string("next_cursor").map(c -> LIST + "?cursor=" + Show.url(c)).orElse(""),
                Curl.get(page, API)));
  }

  private Row row(JsonObject approval, OpenPage page) {
    return new Row(
        LIST + "/" + Read.text(approval, "approval_id"),
        words.agentName(Read.text(approval, "agent_id"), Read.text(approval, "org_id")),
        Read.text(approval, "agent_id"),
        words.policyName(Read.text(approval, "policy_id")),
        Read.text(approval, "status"),
        Show.when(Read.text(approval, "created_at"), page.now()),
        Show.when(Read.text(approval, "expires_at"), page.now()),
        Read.text(approval, "comment"));
  }

  /** One approval; {@code console/approval.jte}. */
  public record Detail(
      Shell shell,
      Row row,
      String what,
      String lead,
      List<DecisionStory.Field> context,
      String raw,
      String answered,
      String decision,
      String usedBy,
      String passportDigest,
      String policyDigest) {
    public Detail {
      context = List.copyOf(context);
    }

    public boolean pending() {
      return row.status().equals("pending");
    }
  }

  private Response detail(OpenPage page) {
    String id = page.request().pathParam("approval_id");
    JsonObject approval = Read.object(page.get(API + "/" + Show.url(id)), "approval");
    Row row = row(approval, page);
    JsonObject context = Read.object(approval, "context");
    return page.show(
        "console/approval.jte",
        "Approval",
        shell ->
            new Detail(
                shell,
                row,
                words.what(Read.text(approval, "policy_id"), context),
                lead(row),
                context.names().stream()
                    .filter(name -> context.present(name) != null)
                    .map(name ->
                        new DecisionStory.Field(
                            Show.words(name),
                            Show.clip(
                                Read.plain(java.util.Objects.requireNonNull(context.get(name))),
                                LONG)))
                    .toList(),
                "",
                answered(approval),
                "/console/decisions/" + Read.text(approval, "decision_id"),
                approval.string("used_by").map(by -> "/console/decisions/" + by).orElse(""),
                Read.text(approval, "passport_digest"),
                Read.text(approval, "policy_digest")));
  }

  private static String lead(Row row) {
    return switch (row.status()) {
      case "pending" ->
          "Your answer is for exactly this: this agent, its passport and policy as they are now, and"
              + " every byte below. It is good once, until it ends "
              + row.until().ago()
              + ".";
      case "approved" -> "Approved. The agent has not come back for it yet.";
      case "used" -> "Approved, and the agent has gone ahead. It cannot do so again.";
      case "refused" -> "Refused. The agent stays denied.";
      default -> "Nobody answered in time, so it stays denied.";
    };
  }

  private static String answered(JsonObject approval) {
    String by = Read.text(approval, "answered_by");
    return by.isEmpty()
        ? ""
        : "Answered by " + Words.caller(by) + " at " + Read.text(approval, "answered_at");
  }

  private Response answer(OpenPage page, String how, Done done) {
    String id = page.request().pathParam("approval_id");
    page.send(
        "POST",
        API + "/" + Show.url(id) + "/" + how,
        JsonObject.builder().put("comment", page.field("comment").orElse("")).build());
    return OpenPage.done(LIST + "/" + Show.url(id), done);
  }
}
