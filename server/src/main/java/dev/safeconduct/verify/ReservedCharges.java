package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.ledger.IdempotencyClaim;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Creates a reservation for an allow's charges if the request asks for one. */
public final class ReservedCharges {
  private ReservedCharges() {}

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
