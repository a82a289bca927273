package dev.safeconduct.passport;

import java.util.Optional;

/** Notifies external receivers of a status change after its commit. */
public interface StatusReceivers {
  /** An implementation without receivers. */
  StatusReceivers NONE = _ -> Delivery.NONE;

  /** Notifies the receivers and waits for the result. Never throws and never undoes the change. */
  Delivery notifyOf(StatusChange change);

  /**
   * The result of notifying receivers.
   *
   * @param sent whether every receiver has accepted the notification
   * @param attempts the number of attempts
   * @param error the message of the last failure
   */
  record Delivery(boolean sent, int attempts, Optional<String> error) {
    /** The result when there are no receivers or there is no change. */
    public static final Delivery NONE = new Delivery(false, 0, Optional.empty());
  }
}
