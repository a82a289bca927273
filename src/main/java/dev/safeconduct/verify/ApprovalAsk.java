package dev.safeconduct.verify;

import java.util.Optional;

/**
 * What a question says to approvals.
 *
 * @param context the bytes of the context as they were sent: an answer is good for no others
 * @param approvalId the approval it wants to use
 */
@SuppressWarnings("ArrayRecordComponent") // digested, never compared
public record ApprovalAsk(byte[] context, Optional<String> approvalId) {}
