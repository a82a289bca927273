package dev.safeconduct.verify;

import java.util.Optional;

/**
 * The parts of a request that approvals need.
 *
 * @param approvalId the approval that the request names
 * @param byContext whether an unused answer to the same request counts without being named, for
 *     callers that repeat a request and cannot add to it
 * @param only whether nothing but an approval is wanted: an outcome that waits for none is refused,
 *     and not recorded
 */
public record ApprovalQuestion(Optional<String> approvalId, boolean byContext, boolean only) {
  static final ApprovalQuestion ONLY = new ApprovalQuestion(Optional.empty(), false, true);

  public ApprovalQuestion(Optional<String> approvalId, boolean byContext) {
    this(approvalId, byContext, false);
  }
}
