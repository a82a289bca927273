package dev.safeconduct.verify;

import dev.safeconduct.access.Rights;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.StoredRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * {@code POST /api/approvals}: a person asks for approval of exactly a recorded request. The
 * request is evaluated again, and only a deny that opens an approval, or waits for one, is
 * recorded.
 */
public final class AskForApprovalEndpoint {
  private static final String DECISION = "decision_id";

  /** Details of a request whose recorded context is not what was sent. */
  private static final List<String> OTHER_FORM =
      List.of(
          RecordDetails.LIFTED, RecordDetails.PACK_PROPERTIES, RecordDetails.IGNORED_PROPERTIES);

  private final VerifyAction action;
  private final AuditLog log;
  private final SubjectResolver subjects;
  private final String baseUrl;

  public AskForApprovalEndpoint(
      VerifyAction action, AuditLog log, SubjectResolver subjects, String baseUrl) {
    this.action = action;
    this.log = log;
    this.subjects = subjects;
    this.baseUrl = baseUrl;
  }

  public List<Route> routes() {
    return List.of(Route.post("/api/approvals", Permission.ADMINISTRATOR, this::ask));
  }

  private Response ask(Request request) {
    String id = Members.of(request.json()).only(Set.of(DECISION)).requiredLine(DECISION, 64);
    StoredRecord record =
        AuditLog.recordId(id)
            .flatMap(known -> log.find(Rights.of(request.caller()).tenant(), known))
            .orElseThrow(() -> unknown(id));
    Decision decision = DecisionJson.read(record.entry().body()).orElseThrow(() -> unknown(id));
    JsonObject details = Json.own(record.entry().details());
    notStored(details, decision)
        .ifPresent(why -> {
          throw ProblemException.conflict(why, "context_not_stored");
        });
    JsonObject context = context(details);
    List<String> agent = List.of(decision.agent().agentId());
    // The context is shown to those who approve: never to another organization.
    if (!subjects.spokenFor(request.caller(), agent).org().equals(record.entry().org())) {
      throw unknown(id);
    }
    var question =
        new VerifyRequest(
            new VerifyRequest.Sender(
                request.caller(),
                Optional.of(record.entry().org()),
                request.requestId(),
                request.clientAddress()),
            decision.policy().id(),
            new VerifyRequest.Sent(
                agent,
                context,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                JsonObject.of("context", context)),
            VerifyRequest.Options.NONE,
            Optional.empty(),
            Optional.of(VerifyRequest.ApprovalQuestion.ONLY));
    return Response.json(
        201,
        JsonObject.builder()
            .put("ok", true)
            .put(
                "approval",
                VerifyAnswer.approval(
                    action.run(question, request.timing()).approval().orElseThrow(), baseUrl))
            .build());
  }

  /**
   * Returns why nobody can approve exactly this request from its record; empty if they can.
   *
   * @param details as recorded
   */
  public static Optional<String> notStored(JsonObject details, Decision decision) {
    if (details.has(RecordDetails.AUTHZEN)) {
      return Optional.of(
          "An AuthZEN request cannot use an approval. To have it approved, let the agent ask at"
              + " POST /api/verify/policy/{policy_id}.");
    }
    if (OTHER_FORM.stream().anyMatch(details::has)) {
      return Optional.of(
          "To have it approved, let the agent ask again: the service evaluated the request in"
              + " another form than it was sent, and an approval covers what was sent.");
    }
    JsonObject context = context(details);
    if (CanonicalJson.digest(context).equals(decision.contextDigest())) {
      return Optional.empty();
    }
    String fields =
        context.names().stream()
            .filter(name -> {
              JsonValue value = context.present(name);
              return value != null && Json.text(value).contains(Redaction.MARK);
            })
            .limit(10)
            .collect(Collectors.joining(", "));
    return Optional.of(
        "To have it approved, let the agent ask again: the record leaves out values"
            + (fields.isEmpty() ? "" : " (" + fields + ")")
            + ", and an approval covers every value.");
  }

  private static JsonObject context(JsonObject details) {
    return details.child("context");
  }

  private static RuntimeException unknown(String id) {
    return ProblemException.notFound(
        "No such decision is known.", "decision_not_found", Map.of("id", id));
  }
}
