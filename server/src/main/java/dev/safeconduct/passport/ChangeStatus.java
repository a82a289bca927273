package dev.safeconduct.passport;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.Recorder;
import java.util.List;
import java.util.Optional;

/**
 * Changes a passport's status. The change and its audit record are committed together; receivers
 * are notified afterwards.
 */
public final class ChangeStatus {
  /** The maximum number of attempts after conflicts with concurrent changes. */
  static final int MAX_TRIES = 50;

  private final FindPassport findPassport;
  private final Passports passports;
  private final Recorder recorder;
  private final StatusReceivers receivers;

  public ChangeStatus(Passports passports, Recorder recorder, StatusReceivers receivers) {
    this.findPassport = new FindPassport(passports);
    this.passports = passports;
    this.recorder = recorder;
    this.receivers = receivers;
  }

  /**
   * A requested status change.
   *
   * @param reason the reason, for the audit record
   */
  public record Move(AgentId agent, PassportStatus next, Optional<String> reason) {}

  /** The status change, and the result of notifying receivers. */
  public record Moved(StatusChange change, StatusReceivers.Delivery delivery) {}

  /**
   * Changes the status. If the passport already has that status, nothing is changed, recorded or
   * sent.
   *
   * @throws dev.safeconduct.error.ProblemException 403 without the scope {@code status}, and for a
   *     setup key that would activate its passport, 404 for a passport the caller cannot see, 409
   *     for a transition that is not possible
   */
  public Moved run(Origin origin, Move move) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.STATUS);
    for (int i = 0; i < MAX_TRIES; i++) {
      Passport before = findPassport.run(origin.caller(), move.agent());
      if (before.status() == move.next()) {
        return new Moved(unchanged(before), StatusReceivers.Delivery.NONE);
      }
      if (move.next() == PassportStatus.ACTIVE) {
        rights.demandUnbound(); // an agent does not undo its own suspension
      }
      demandPossible(before.status(), move.next());
      JsonObject more = JsonObject.builder().putIfPresent("reason", move.reason()).build();
      PassportChange change =
          PassportChange.ofStatus(recorder, origin, recorder.now(), before, move.next(), more);
      if (passports.change(emailed(change))) {
        return notified(change);
      }
    }
    throw busy();
  }

  /**
   * Returns the status change, to commit it together with other changes; {@link #tell} follows.
   *
   * @throws dev.safeconduct.error.ProblemException 409 for a transition that is not possible
   */
  public PassportChange prepare(
      Origin origin, Passport before, PassportStatus next, String reason) {
    demandPossible(before.status(), next);
    JsonObject more = JsonObject.of("reason", reason);
    return PassportChange.ofStatus(recorder, origin, recorder.now(), before, next, more);
  }

  /**
   * Returns a change of the same transaction with the emails about prepared status changes.
   *
   * @param stored the last change of them
   */
  public Mutation<Boolean> emailed(List<PassportChange> changes, Mutation<Boolean> stored) {
    return receivers.emailed(changed(changes), stored);
  }

  /** Returns the storing of a passport whose status changes, with the emails about it. */
  Mutation<Boolean> emailed(PassportChange change) {
    return receivers.emailed(List.of(change.status()), change.storing());
  }

  /** Notifies receivers of prepared status changes that are committed. */
  public void tell(List<PassportChange> changes) {
    StatusReceivers.Delivery _ = receivers.notifyOf(changed(changes));
  }

  private static List<StatusChange> changed(List<PassportChange> changes) {
    return changes.stream().map(PassportChange::status).toList();
  }

  /** Notifies receivers of a status change that was committed together with other changes. */
  Moved notified(PassportChange change) {
    return new Moved(change.status(), receivers.notifyOf(List.of(change.status())));
  }

  static void demandPossible(PassportStatus previous, PassportStatus next) {
    if (!previous.mayBecome(next)) {
      throw ProblemException.conflict(
          "A passport that is "
              + previous.wire()
              + " cannot become "
              + next.wire()
              + (previous == PassportStatus.REVOKED ? "; revoked is final." : "."),
          "impossible_status");
    }
  }

  static ProblemException busy() {
    return ProblemException.unavailable("The passport is being changed by others; try again.", 1);
  }

  private static StatusChange unchanged(Passport passport) {
    return new StatusChange(
        passport.agentId(),
        passport.owner(),
        passport.status(),
        passport.status(),
        PassportDocument.statusUpdatedAt(passport),
        false);
  }
}
