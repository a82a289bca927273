package dev.safeconduct.approval;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.WrongMasterKeyException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /api/approvals}: lists waiting approvals and accepts answers. */
public final class ApprovalEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(ApprovalEndpoints.class);
  private static final String APPROVALS = "/api/approvals";
  private static final int MAX_COMMENT = 1000;

  private final Approvals approvals;
  private final AnswerApproval answerApproval;
  private final MasterKey master;

  public ApprovalEndpoints(Approvals approvals, AnswerApproval answerApproval, MasterKey master) {
    this.approvals = approvals;
    this.answerApproval = answerApproval;
    this.master = master;
  }

  public List<Route> routes() {
    String one = APPROVALS + "/{approval_id}";
    return List.of(
        Route.get(APPROVALS, Permission.ADMINISTRATOR, this::list),
        Route.get(one, Permission.ADMINISTRATOR, this::read),
        Route.post(one + "/approve", Permission.ADMINISTRATOR, request -> answer(request, true)),
        Route.post(one + "/refuse", Permission.ADMINISTRATOR, request -> answer(request, false)));
  }

  private Response list(Request request) {
    ListPage page = ListPage.of(request);
    Optional<Approval.Status> status =
        request.query("status").filter(text -> !text.isEmpty()).map(ApprovalEndpoints::status);
    Optional<UUID> before = page.after().map(ApprovalEndpoints::cursor);
    Instant now = answerApproval.now();
    return page.answer(
        "approvals",
        approvals.list(Rights.of(request.caller()).tenant(), status, now, before, page.fetch()),
        Approval::id,
        approval -> shape(approval, now));
  }

  private static Approval.Status status(String text) {
    return Approval.Status.parse(text)
        .orElseThrow(() ->
            ProblemException.invalid(
                "status", "status must be pending, approved, refused, used or expired."));
  }

  private static UUID cursor(String text) {
    return Approval.decisionOf(text)
        .orElseThrow(() ->
            ProblemException.invalid(
                "cursor", "cursor must be the next_cursor of the page before."));
  }

  private Response read(Request request) {
    Approval approval = answerApproval.find(request.caller(), request.pathParam("approval_id"));
    Instant now = answerApproval.now();
    return Response.json(
        JsonObject.builder()
            .put("ok", true)
            .put("approval", shape(approval, now).with("context", context(approval, now))));
  }

  private Response answer(Request request, boolean approve) {
    Members body =
        Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY).only(Set.of("comment"));
    Approval approval =
        answerApproval.run(
            request.origin(),
            request.pathParam("approval_id"),
            approve,
            body.prose("comment", MAX_COMMENT).orElse(""));
    return Response.json(
        JsonObject.builder()
            .put("ok", true)
            .put("approval", shape(approval, answerApproval.now())));
  }

  /** Returns the requested action unredacted; null once the approval is answered or expired. */
  private JsonValue context(Approval approval, Instant now) {
    if (approval.context().isEmpty() || approval.status(now) != Approval.Status.PENDING) {
      return JsonNull.NULL;
    }
    try {
      return Json.parse(
          master.open(Approval.label(approval.decisionId()), approval.context().get()));
    } catch (WrongMasterKeyException | JsonFault e) {
      LOG.error("the context of {} does not open", approval.id(), e);
      return JsonNull.NULL;
    }
  }

  private static JsonObject shape(Approval approval, Instant now) {
    return JsonObject.builder()
        .put("approval_id", approval.id())
        .put("status", approval.status(now).wire())
        .put("org_id", approval.org().value())
        .put("agent_id", approval.agentId())
        .put("policy_id", approval.policyId())
        .put("decision_id", approval.decisionId().toString())
        .put("passport_digest", approval.passportDigest())
        .put("policy_digest", approval.policyDigest())
        .put("created_at", IsoInstant.millis(approval.createdAt()))
        .put("expires_at", IsoInstant.millis(approval.expiresAt()))
        .putOrNull("answered_by", approval.answer().map(Approval.Answer::by))
        .putOrNull(
            "answered_at", approval.answer().map(Approval.Answer::at).map(IsoInstant::millis))
        .putOrNull("comment", approval.answer().map(Approval.Answer::comment))
        .putOrNull("used_by", approval.usedBy().map(UUID::toString))
        .build();
  }
}
