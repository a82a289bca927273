package dev.safeconduct.verify;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a question says to approvals.
 *
 * @param context gives the bytes of the context as they were sent, for an answer is good for no
 *     others; asked for only where an approval comes into play
 * @param approvalId the approval it wants to use
 */
public record ApprovalAsk(Supplier<byte[]> context, Optional<String> approvalId) {}
