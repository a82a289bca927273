package dev.safeconduct.verify;

import java.util.Optional;

/**
 * The parts of a request that approvals need.
 *
 * @param approvalId the approval that the request names
 * @param byContext whether an unused answer to the same request counts without being named, for
 *     callers that repeat a request and cannot add to it
 */
public record ApprovalQuestion(Optional<String> approvalId, boolean byContext) {}
