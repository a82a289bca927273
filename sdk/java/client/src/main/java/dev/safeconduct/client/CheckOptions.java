package dev.safeconduct.client;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How to ask. All of it is optional: start with {@link #none} and add.
 *
 * @param approvalId the approval of this very action
 * @param reserve whether what an allow uses of a limit can be given back
 * @param dryRun whether nothing counts against a limit; a dry run lets no action run
 * @param idempotencyKey the key under which a repeated request gets the same decision; default: a
 *     new one for each question
 * @param requestId passed on as {@code X-Request-Id}
 * @param traceparent passed on (W3C Trace Context)
 * @param waitForApproval how long {@link Safeconduct#guard} waits for a person who can allow the
 *     action
 */
public record CheckOptions(
    @Nullable String approvalId,
    boolean reserve,
    boolean dryRun,
    @Nullable String idempotencyKey,
    @Nullable String requestId,
    @Nullable String traceparent,
    Duration waitForApproval) {

  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");
  private static final CheckOptions NONE =
      new CheckOptions(null, false, false, null, null, null, Duration.ZERO);

  /**
   * Checks the members.
   *
   * @throws IllegalArgumentException if one cannot be sent
   */
  public CheckOptions {
    if (traceparent != null && !TRACEPARENT.matcher(traceparent).matches()) {
      throw new IllegalArgumentException("traceparent is not a valid W3C traceparent");
    }
    Transport.checkHeader("idempotencyKey", idempotencyKey);
    Transport.checkHeader("requestId", requestId);
  }

  /** Returns the options of an ordinary question. */
  public static CheckOptions none() {
    return NONE;
  }

  /** Returns these options with an approval. */
  public CheckOptions withApprovalId(String id) {
    return new CheckOptions(
        id, reserve, dryRun, idempotencyKey, requestId, traceparent, waitForApproval);
  }

  /** Returns these options with a reservation. */
  public CheckOptions withReserve() {
    return new CheckOptions(
        approvalId, true, dryRun, idempotencyKey, requestId, traceparent, waitForApproval);
  }

  /** Returns these options as a dry run. */
  public CheckOptions withDryRun() {
    return new CheckOptions(
        approvalId, reserve, true, idempotencyKey, requestId, traceparent, waitForApproval);
  }

  /** Returns these options with an idempotency key; null for a new one. */
  public CheckOptions withIdempotencyKey(@Nullable String key) {
    return new CheckOptions(
        approvalId, reserve, dryRun, key, requestId, traceparent, waitForApproval);
  }

  /** Returns these options with the ids of the caller's own request and trace. */
  public CheckOptions withTrace(@Nullable String requestId, @Nullable String traceparent) {
    return new CheckOptions(
        approvalId, reserve, dryRun, idempotencyKey, requestId, traceparent, waitForApproval);
  }

  /** Returns these options with a wait for a person. */
  public CheckOptions withWaitForApproval(Duration longest) {
    return new CheckOptions(
        approvalId, reserve, dryRun, idempotencyKey, requestId, traceparent, longest);
  }
}
