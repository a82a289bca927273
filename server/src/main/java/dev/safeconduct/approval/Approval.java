package dev.safeconduct.approval;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PrefixedId;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * An action that a person must approve before it is allowed, and the person's answer.
 *
 * @param decisionId the denied decision that opened the approval; the approval's id derives from it
 * @param org the organization whose members may answer
 * @param binding the request an answer is valid for: a keyed digest over nonce, agent, passport,
 *     pack and the context bytes (32 bytes)
 * @param request the same digest without the nonce, to recognize a repeated request (32 bytes)
 * @param expiresAt the time until which the approval can be answered and the answer used
 * @param context the requested action, sealed; deleted once the approval is answered
 * @param answer the person's answer; empty while the approval is unanswered
 * @param usedBy the decision that used the answer
 */
@SuppressWarnings("ArrayRecordComponent") // digests and sealed bytes; compared in constant time
public record Approval(
    UUID decisionId,
    OrgId org,
    String agentId,
    String policyId,
    String passportDigest,
    String policyDigest,
    byte[] nonce,
    byte[] binding,
    byte[] request,
    Instant createdAt,
    Instant expiresAt,
    Optional<byte[]> context,
    Optional<Answer> answer,
    Optional<UUID> usedBy) {
  /** The time for the person to answer and for the agent to use the answer. */
  public static final Duration LIFETIME = Duration.ofHours(1);

  /** The maximum number of waiting approvals for one agent; people do not read more. */
  public static final int MOST_WAITING = 20;

  private static final PrefixedId ID = new PrefixedId("apr_");

  /**
   * A person's answer.
   *
   * @param by the person's name in the audit log
   * @param comment may be empty
   */
  public record Answer(boolean approved, String by, Instant at, String comment) {}

  /** The status of an approval. */
  public enum Status {
    PENDING,
    APPROVED,
    REFUSED,
    USED,
    EXPIRED;

    private final String wire = name().toLowerCase(Locale.ROOT);

    public String wire() {
      return wire;
    }

    public static Optional<Status> parse(String text) {
      return Arrays.stream(values()).filter(status -> status.wire.equals(text)).findFirst();
    }
  }

  /**
   * Returns the status at the given time. An unanswered or unused approval past its expiry is
   * expired.
   */
  public Status status(Instant now) {
    if (usedBy.isPresent()) {
      return Status.USED;
    }
    if (answer.isPresent() && !answer.get().approved()) {
      return Status.REFUSED;
    }
    if (!now.isBefore(expiresAt)) {
      return Status.EXPIRED;
    }
    return answer.isPresent() ? Status.APPROVED : Status.PENDING;
  }

  /** Returns the public id: {@code apr_} and the decision's id in hex. */
  public String id() {
    return id(decisionId);
  }

  /** Returns the public id of the decision's approval, whether there is one or not. */
  public static String id(UUID decisionId) {
    return ID.of(decisionId);
  }

  /** Returns the label that binds the sealed context to the decision's approval. */
  public static String label(UUID decisionId) {
    return "approval:" + decisionId;
  }

  /**
   * Returns the decision whose approval the text identifies; empty if the text is not a valid id.
   */
  public static Optional<UUID> decisionOf(String text) {
    return ID.parse(text);
  }

  @Override
  public String toString() {
    return "Approval[" + id() + "]";
  }
}
