package dev.safeconduct.verify;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * A question to the decision point, as it came in.
 *
 * @param policyId as in the path
 * @param agentIds every agent id the body names outside the dialects' containers, as written
 * @param contextFault why the context cannot be judged, if whoever put it together found out
 * @param passport a passport in the body
 * @param policy a pack in the body
 * @param idempotencyKey from the header, else the body
 * @param body the whole body, for telling equal requests from others
 * @param org which organization the admin credential acts for
 * @param explain whether the answer shows the checks
 * @param dryRun whether counters are only looked at
 * @param reserve whether an allow's charges may be given back
 * @param approval what it says to approvals; empty where no person can be asked
 */
public record VerifyRequest(
    Caller caller,
    String policyId,
    List<String> agentIds,
    JsonObject context,
    Optional<String> contextFault,
    Optional<JsonObject> passport,
    Optional<JsonObject> policy,
    Optional<String> idempotencyKey,
    JsonObject body,
    Optional<OrgId> org,
    boolean explain,
    boolean dryRun,
    boolean reserve,
    Optional<ApprovalAsk> approval,
    String requestId,
    String clientAddress) {
  /** One for which no person is asked. */
  public VerifyRequest(
      Caller caller,
      String policyId,
      List<String> agentIds,
      JsonObject context,
      Optional<String> contextFault,
      Optional<JsonObject> passport,
      Optional<JsonObject> policy,
      Optional<String> idempotencyKey,
      JsonObject body,
      Optional<OrgId> org,
      boolean explain,
      boolean dryRun,
      boolean reserve,
      String requestId,
      String clientAddress) {
    this(
        caller,
        policyId,
        agentIds,
        context,
        contextFault,
        passport,
        policy,
        idempotencyKey,
        body,
        org,
        explain,
        dryRun,
        reserve,
        Optional.empty(),
        requestId,
        clientAddress);
  }
}
