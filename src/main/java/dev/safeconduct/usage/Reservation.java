package dev.safeconduct.usage;

import dev.safeconduct.identity.OrgId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The charges of one allow, taken like any others, which may be given back until it expires: an
 * action that failed need not cost its budget. One that is never settled counts as committed.
 *
 * @param decisionId the allow; the reservation is named after it
 * @param org whose decision it is
 * @param claim the idempotency key the allow owns: given back with the charges, as its replay would
 *     allow the action without them
 * @param expiresAt when it can no longer be released
 * @param settlement how it was settled; empty while it was not
 */
public record Reservation(
    UUID decisionId,
    OrgId org,
    String agentId,
    String policyId,
    List<Charge> charges,
    Optional<CounterKey> claim,
    Instant expiresAt,
    Optional<Settlement> settlement) {
  public static final Duration LIFETIME = Duration.ofMinutes(15);

  private static final String PREFIX = "rsv_";
  private static final Pattern ID = Pattern.compile(PREFIX + "[0-9a-f]{32}");

  public Reservation {
    charges = List.copyOf(charges);
  }

  /** How a reservation ended, and when. */
  public record Settlement(Kind kind, Instant at) {}

  /** The two ends of a reservation. */
  public enum Kind {
    COMMITTED("committed"),
    RELEASED("released");

    private final String wire;

    Kind(String wire) {
      this.wire = wire;
    }

    public String wire() {
      return wire;
    }
  }

  /** The name callers know it by: {@code rsv_} and the decision's id in hex. */
  public String id() {
    return id(decisionId);
  }

  /** The name of the reservation of that decision. */
  public static String id(UUID decisionId) {
    HexFormat hex = HexFormat.of();
    return PREFIX
        + hex.toHexDigits(decisionId.getMostSignificantBits())
        + hex.toHexDigits(decisionId.getLeastSignificantBits());
  }

  /** The decision whose reservation the text names; empty when it has not the form of a name. */
  public static Optional<UUID> decisionOf(String text) {
    if (!ID.matcher(text).matches()) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(text, PREFIX.length(), 36));
    return Optional.of(new UUID(bytes.getLong(), bytes.getLong()));
  }

  /** How it stands at the time: past its expiry it is committed. */
  public Optional<Settlement> standing(Instant now) {
    return settlement.isPresent() || now.isBefore(expiresAt)
        ? settlement
        : Optional.of(new Settlement(Kind.COMMITTED, expiresAt));
  }
}
