package dev.safeconduct.verify;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.verify.Reservation.Kind;
import dev.safeconduct.verify.Reservation.Settlement;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Settles a reservation: commits its charges, or releases them. Settling it again in the same way
 * changes nothing and returns the same response, so that callers can retry.
 */
public final class SettleReservation {
  private static final int SHOWN = 128;

  private final Reservations reservations;
  private final Recorder recorder;

  public SettleReservation(Reservations reservations, Recorder recorder) {
    this.reservations = reservations;
    this.recorder = recorder;
  }

  /** The reservation and its settlement. */
  public record Settled(Reservation reservation, Settlement settlement) {}

  /**
   * Settles the reservation.
   *
   * @throws dev.safeconduct.error.ProblemException 403 without the scope {@code update} or for a
   *     setup key, 404 for a reservation the caller cannot see, 409 for one already settled in the
   *     other way, by a call or by expiry
   */
  public Settled run(Origin origin, String id, Kind kind) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.UPDATE);
    rights.demandUnbound();
    while (true) {
      Reservation reservation =
          Reservation.decisionOf(id)
              .flatMap(decision -> reservations.find(rights.tenant(), decision))
              .orElseThrow(() -> unknown(id));
      Instant now = recorder.now();
      Optional<Settlement> standing = reservation.standing(now);
      if (standing.isPresent()) {
        if (standing.get().kind() != kind) {
          throw tooLate(reservation, standing.get());
        }
        return new Settled(reservation, standing.get());
      }
      AuditRecord entry = record(origin, reservation, kind, now);
      boolean settled =
          switch (kind) {
            case COMMITTED -> reservations.commit(reservation, entry);
            case RELEASED -> reservations.release(reservation, entry);
          };
      if (settled) {
        return new Settled(reservation, new Settlement(kind, now));
      }
      // A concurrent call has settled it; the next iteration reads the outcome.
    }
  }

  private AuditRecord record(Origin origin, Reservation reservation, Kind kind, Instant now) {
    JsonObject what =
        JsonObject.builder()
            .put("reservation_id", reservation.id())
            .put("decision_id", reservation.decisionId().toString())
            .put("policy_id", reservation.policyId())
            .put("charges", reservation.charges().size())
            .build();
    RecordKind recorded =
        switch (kind) {
          case COMMITTED -> RecordKind.RESERVATION_COMMITTED;
          case RELEASED -> RecordKind.RESERVATION_RELEASED;
        };
    return recorder.write(
        recorded, reservation.org(), new AgentId(reservation.agentId()), now, origin, what);
  }

  private static ProblemException tooLate(Reservation reservation, Settlement settlement) {
    boolean expired = reservation.settlement().isEmpty();
    return (expired
            ? new Problem.Conflict(
                "The reservation has expired, so its charges are kept for good.",
                "reservation_expired")
            : new Problem.Conflict(
                "The reservation has been " + settlement.kind().wire() + " already.",
                "reservation_" + settlement.kind().wire()))
        .toException();
  }

  private static ProblemException unknown(String id) {
    String shown = Excerpt.clip(id, SHOWN);
    return ProblemException.notFound(
        "No reservation " + shown + " is known.",
        "reservation_not_found",
        Map.of("reservation_id", shown));
  }
}
