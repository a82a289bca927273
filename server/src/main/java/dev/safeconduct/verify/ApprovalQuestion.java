package dev.safeconduct.verify;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * The parts of a request that approvals need.
 *
 * @param context supplies the sent bytes of the context, because an approval is valid for these
 *     bytes only; called only if the request needs an approval
 * @param approvalId the approval that the request names
 * @param byContext whether an unused answer to the same request counts without being named, for
 *     callers that repeat a request and cannot add to it
 */
public record ApprovalQuestion(
    Supplier<byte[]> context, Optional<String> approvalId, boolean byContext) {}
