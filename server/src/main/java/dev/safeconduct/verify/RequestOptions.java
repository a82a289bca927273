package dev.safeconduct.verify;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The parts of a request outside its body: the caller and the options.
 *
 * @param idempotencyKey the key in the header
 * @param org the organization in the query
 */
record RequestOptions(
    Caller caller,
    Optional<String> idempotencyKey,
    Optional<String> org,
    VerifyRequest.Options options,
    String requestId,
    String clientAddress) {
  private static final int MAX_KEY_LENGTH = 256;
  private static final int MAX_ORG_LENGTH = 128;

  /**
   * Parses the verify request in these members.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the member that is missing or of the
   *     wrong type, 403 for one that the caller may not send
   */
  VerifyRequest question(String policyId, Members body) {
    if (!(body.object().get("context") instanceof JsonObject context)) {
      throw body.fault(
          "context", body.path("context") + " must be an object that holds the action.");
    }
    Optional<JsonObject> passport = body.members("passport").map(Members::object);
    Optional<JsonObject> policy = body.members("policy").map(Members::object);
    refuseToSetupKey(body);
    var agentIds = new ArrayList<String>(2);
    body.text("agent_id").ifPresent(agentIds::add);
    Members.at(body.path("context"), context).text("agent_id").ifPresent(agentIds::add);
    return new VerifyRequest(
        new VerifyRequest.Sender(
            caller,
            caller instanceof Caller.Admin ? orgOr(body) : Optional.empty(),
            requestId,
            clientAddress),
        policyId,
        new VerifyRequest.Sent(
            agentIds, context, Optional.empty(), Optional.empty(), passport, policy, body.object()),
        options,
        caller instanceof Caller.Anonymous ? Optional.empty() : keyOr(body),
        Optional.of(new VerifyRequest.ApprovalQuestion(body.text("approval_id"), false)));
  }

  private void refuseToSetupKey(Members body) {
    if (caller instanceof Caller.Key key && key.boundTo().isPresent()) {
      for (String name : List.of("passport", "policy")) {
        if (body.has(name)) {
          throw ProblemException.forbidden(
              "A setup key speaks for one hosted passport and may not send "
                  + body.path(name)
                  + ".");
        }
      }
    }
  }

  private Optional<String> keyOr(Members body) {
    Optional<String> key = idempotencyKey.or(() -> body.text("idempotency_key"));
    if (key.filter(text -> text.isEmpty() || text.length() > MAX_KEY_LENGTH).isPresent()) {
      throw body.fault(
          "idempotency_key",
          "An idempotency key must have 1 to " + MAX_KEY_LENGTH + " characters.");
    }
    return key;
  }

  private Optional<OrgId> orgOr(Members body) {
    return body.text("org_id")
        .or(() -> org)
        .map(id -> {
          if (id.isEmpty() || id.length() > MAX_ORG_LENGTH) {
            throw body.fault("org_id", "org_id must have 1 to " + MAX_ORG_LENGTH + " characters.");
          }
          return new OrgId(id);
        });
  }
}
