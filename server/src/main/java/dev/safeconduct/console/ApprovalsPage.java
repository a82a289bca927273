package dev.safeconduct.console;

import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Approvals: the pending ones that the reader may answer, and the answered ones. */
public final class ApprovalsPage {
  private static final String LIST = "/console/approvals";
  private static final String API = "/api/approvals";
  private static final int ROWS = 50;
  private static final int LONG = 20_000;

  private final DecisionWords words;

  ApprovalsPage(DecisionWords words) {
    this.words = words;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(LIST, this::list),
        signIn.page(LIST + "/{approval_id}", this::detail),
        signIn.form(
            LIST + "/{approval_id}/approve",
            page -> answer(page, "approve", FlashMessage.APPROVED)),
        signIn.form(
            LIST + "/{approval_id}/refuse", page -> answer(page, "refuse", FlashMessage.REFUSED)));
  }

  /** The list; {@code console/approvals.jte}. */
  public record ListView(
      Layout shell, String lead, List<Row> waiting, List<Row> past, String next) {}

  /** An approval in the list. */
  public record Row(
      String path,
      String agent,
      String agentId,
      String policy,
      String status,
      Formats.When asked,
      Formats.When until,
      String comment) {}

  private Response list(OpenPage page) {
    List<Row> waiting = new ArrayList<>();
    List<Row> past = new ArrayList<>();
    JsonObject answer = page.get(API + "?limit=" + ROWS + page.cursor());
    for (JsonObject approval : answer.objects("approvals")) {
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
                    ? "No pending approvals."
                    : Formats.count(waiting.size(), "pending approval", "pending approvals")
                        + ". Without an answer the action stays denied.",
                waiting,
                past,
                OpenPage.next(LIST, answer)));
  }

  private Row row(JsonObject approval, OpenPage page) {
    return new Row(
        LIST + "/" + approval.text("approval_id"),
        words.agentName(approval.text("agent_id"), approval.text("org_id")),
        approval.text("agent_id"),
        words.policyName(approval.text("policy_id")),
        approval.text("status"),
        page.when(approval.text("created_at")),
        page.when(approval.text("expires_at")),
        approval.text("comment"));
  }

  /** One approval; {@code console/approval.jte}. */
  public record Detail(
      Layout shell,
      Row row,
      String what,
      String lead,
      List<DecisionView.Field> context,
      String answered,
      String decision,
      String usedBy,
      String passportDigest,
      String policyDigest) {
    public boolean pending() {
      return row.status().equals("pending");
    }
  }

  private Response detail(OpenPage page) {
    String id = page.param("approval_id");
    JsonObject approval = page.get(API + "/" + Formats.url(id)).child("approval");
    Row row = row(approval, page);
    JsonObject context = approval.child("context");
    return page.show(
        "console/approval.jte",
        "Approval",
        shell ->
            new Detail(
                shell,
                row,
                words.what(approval.text("policy_id"), context),
                lead(row) + (row.status().equals("pending") ? denied(approval, page) : ""),
                DecisionView.Field.of("", context, LONG),
                answered(page, approval),
                "/console/decisions/" + approval.text("decision_id"),
                approval.string("used_by").map(by -> "/console/decisions/" + by).orElse(""),
                approval.text("passport_digest"),
                approval.text("policy_digest")));
  }

  /** What the policy forbids besides, if observe mode alone would let the action through. */
  private static String denied(JsonObject approval, OpenPage page) {
    return page.find("/api/audit/" + Formats.url(approval.text("decision_id")))
        .flatMap(record -> DecisionJson.read(record.child("body")))
        .map(DecisionViews::lifted)
        .orElse("");
  }

  private static String lead(Row row) {
    return switch (row.status()) {
      case "pending" ->
          "Your approval covers exactly this request: this agent, its current passport and policy,"
              + " and every value below. It can be used once, and expires "
              + row.until().ago()
              + ".";
      case "approved" -> "Approved. The agent has not used the approval yet.";
      case "used" -> "Approved and used. It cannot be used again.";
      case "refused" -> "Refused. The action stays denied.";
      default -> "Expired without an answer. The action stays denied.";
    };
  }

  private static String answered(OpenPage page, JsonObject approval) {
    String by = approval.text("answered_by");
    return by.isEmpty()
        ? ""
        : "Answered by " + page.actor(by).name() + " at " + approval.text("answered_at");
  }

  private Response answer(OpenPage page, String how, FlashMessage done) {
    String id = page.param("approval_id");
    page.send(
        "POST",
        API + "/" + Formats.url(id) + "/" + how,
        JsonObject.of("comment", page.entered("comment")));
    return OpenPage.done(LIST + "/" + Formats.url(id), done);
  }
}
