package dev.safeconduct.usage;

import dev.safeconduct.identity.OrgId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * An action that a person must approve before it is allowed, and what they said.
 *
 * @param decisionId the deny that it came of; the approval is named after it
 * @param org whose people may answer
 * @param binding what an answer is good for: a keyed digest over nonce, agent, passport, pack and
 *     the bytes of the context (32 bytes)
 * @param request the same without the nonce, to know an equal question again (32 bytes)
 * @param expiresAt until when it can be answered, and the answer used
 * @param context what the agent wants, sealed; gone once it is answered
 * @param answer what a person said; empty while nobody has
 * @param usedBy the decision that the answer let through
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
  /** How long a person has, and the agent after them. */
  public static final Duration LIFETIME = Duration.ofHours(1);

  /** More of one agent's do not wait: nobody reads them. */
  public static final int MOST_WAITING = 20;

  private static final String PREFIX = "apr_";
  private static final Pattern ID = Pattern.compile(PREFIX + "[0-9a-f]{32}");

  /**
   * What a person said.
   *
   * @param by the audit log's name of them
   * @param comment may be empty
   */
  public record Answer(boolean approved, String by, Instant at, String comment) {}

  /** How it stands. */
  public enum Status {
    PENDING("pending"),
    APPROVED("approved"),
    REFUSED("refused"),
    USED("used"),
    EXPIRED("expired");

    private final String wire;

    Status(String wire) {
      this.wire = wire;
    }

    public String wire() {
      return wire;
    }

    public static Optional<Status> parse(String text) {
      for (Status status : values()) {
        if (status.wire.equals(text)) {
          return Optional.of(status);
        }
      }
      return Optional.empty();
    }
  }

  /** How it stands at the time; unanswered, or unused, past its expiry is too late. */
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

  /** The name callers know it by: {@code apr_} and the decision's id in hex. */
  public String id() {
    HexFormat hex = HexFormat.of();
    return PREFIX
        + hex.toHexDigits(decisionId.getMostSignificantBits())
        + hex.toHexDigits(decisionId.getLeastSignificantBits());
  }

  /** What the seal of the context of that decision's approval is bound to. */
  public static String label(UUID decisionId) {
    return "approval:" + decisionId;
  }

  /** The decision whose approval the text names; empty when it has not the form of a name. */
  public static Optional<UUID> decisionOf(String text) {
    if (!ID.matcher(text).matches()) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(text, PREFIX.length(), 36));
    return Optional.of(new UUID(bytes.getLong(), bytes.getLong()));
  }

  @Override
  public String toString() {
    return "Approval[" + id() + "]";
  }
}
