package dev.safeconduct.verify;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.usage.IdempotencyClaim;
import dev.safeconduct.usage.Reservation;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes an allow's charges a reservation, where that was asked for. */
final class ReservedCharges {
  private ReservedCharges() {}

  /** The reservation of the decision; empty for a deny and for whoever did not ask. */
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

  /** Until when the allow's charges may be given back. */
  static Instant until(SignedDecision decision) {
    return decision.issuedAt().plus(Reservation.LIFETIME);
  }
}
