package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PrefixedId;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.IdempotencyClaim;
import dev.safeconduct.policy.PolicyPack;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The charges of one allow, which count like any others but can be released until the reservation
 * expires. An action that failed therefore need not use its budget. A reservation that is never
 * settled counts as committed.
 *
 * @param decisionId the allow; the reservation's id derives from it
 * @param org the organization of the decision
 * @param claim the idempotency key the allow owns; it is released with the charges, because a
 *     replay would otherwise allow the action without them
 * @param expiresAt when it can no longer be released
 * @param settlement how it was settled; empty while it is open
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

  private static final PrefixedId ID = new PrefixedId("rsv_");

  public Reservation {
    charges = List.copyOf(charges);
  }

  /** The outcome of a reservation and its time. */
  public record Settlement(Kind kind, Instant at) {}

  /** The two outcomes of a reservation. */
  public enum Kind {
    COMMITTED,
    RELEASED;

    private final String wire = name().toLowerCase(Locale.ROOT);

    public String wire() {
      return wire;
    }
  }

  /** Returns the public id: {@code rsv_} and the decision's id in hex. */
  public String id() {
    return id(decisionId);
  }

  /** Returns the id of the decision's reservation. */
  public static String id(UUID decisionId) {
    return ID.of(decisionId);
  }

  /**
   * Returns the decision whose reservation the text identifies; empty if the text is not a valid
   * id.
   */
  public static Optional<UUID> decisionOf(String text) {
    return ID.parse(text);
  }

  /** Returns the settlement at the given time: after its expiry a reservation is committed. */
  public Optional<Settlement> standing(Instant now) {
    return settlement.isPresent() || now.isBefore(expiresAt)
        ? settlement
        : Optional.of(new Settlement(Kind.COMMITTED, expiresAt));
  }

  /** Returns the decision's reservation; empty for a deny and if the request asks for none. */
  static Optional<Reservation> of(
      VerifyRequest request,
      UUID decision,
      Subject subject,
      PolicyPack pack,
      Outcome outcome,
      @Nullable IdempotencyClaim claim,
      Instant now) {
    return request.reserve() && outcome instanceof Outcome.Allow allow
        ? Optional.of(
            new Reservation(
                decision,
                subject.org(),
                subject.agentId(),
                pack.id().value(),
                allow.charges(),
                claim == null ? Optional.empty() : Optional.of(claim.key()),
                now.plus(Reservation.LIFETIME),
                Optional.empty()))
        : Optional.empty();
  }

  /** Returns the time until which the allow's charges can be released. */
  public static Instant until(Decision decision) {
    return decision.validity().issuedAt().plus(Reservation.LIFETIME);
  }
}
