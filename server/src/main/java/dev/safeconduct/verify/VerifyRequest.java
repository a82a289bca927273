package dev.safeconduct.verify;

import dev.safeconduct.decision.Reason;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * A parsed verify request.
 *
 * @param policyId the policy id in the path
 * @param idempotencyKey the key from the header, else from the body
 * @param approval the input for approvals; empty if no person can be asked
 */
public record VerifyRequest(
    Sender sender,
    String policyId,
    Sent sent,
    Options options,
    Optional<String> idempotencyKey,
    Optional<ApprovalQuestion> approval) {
  /**
   * The caller.
   *
   * @param org the organization that the admin credential acts for
   */
  public record Sender(
      Caller caller, Optional<OrgId> org, String requestId, String clientAddress) {}

  /**
   * The content of the body.
   *
   * @param agentIds every agent id the body names outside the dialects' containers, as written
   * @param contextFault the reason why the context cannot be evaluated, if there is a fault
   * @param subject the subject that an AuthZEN caller names; it alone says who acts
   * @param passport a passport in the body
   * @param policy a pack in the body
   * @param whole the whole body, to compare requests
   */
  public record Sent(
      List<String> agentIds,
      JsonObject context,
      Optional<String> contextFault,
      Optional<SentSubject> subject,
      Optional<JsonObject> passport,
      Optional<JsonObject> policy,
      JsonObject whole) {
    public Sent {
      agentIds = List.copyOf(agentIds);
    }
  }

  /**
   * The options of the evaluation.
   *
   * @param explain whether the answer shows the checks
   * @param dryRun whether counters are only read
   * @param reserve whether an allow's charges can be released
   * @param refusal the reason with which to deny in place of an evaluation
   */
  public record Options(
      boolean explain, boolean dryRun, boolean reserve, Optional<Reason> refusal) {
    public static final Options NONE = new Options(false, false, false, Optional.empty());
  }

  public Caller caller() {
    return sender.caller();
  }

  boolean dryRun() {
    return options.dryRun();
  }

  public boolean reserve() {
    return options.reserve();
  }

  /**
   * The parts of a request that approvals need.
   *
   * @param approvalId the approval that the request names
   * @param byContext whether an unused answer to the same request counts without being named, for
   *     callers that repeat a request and cannot add to it
   * @param only whether nothing but an approval is wanted: an outcome that waits for none is
   *     refused, and not recorded
   */
  public record ApprovalQuestion(Optional<String> approvalId, boolean byContext, boolean only) {
    static final ApprovalQuestion ONLY = new ApprovalQuestion(Optional.empty(), false, true);

    public ApprovalQuestion(Optional<String> approvalId, boolean byContext) {
      this(approvalId, byContext, false);
    }
  }
}
