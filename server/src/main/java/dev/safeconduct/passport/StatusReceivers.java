package dev.safeconduct.passport;

import java.util.List;
import java.util.Optional;

/** Notifies external receivers of status changes after their commit. */
public interface StatusReceivers {
  /** An implementation without receivers. */
  StatusReceivers NONE = _ -> Delivery.NONE;

  /**
   * Notifies the receivers of the changes of one request and waits for the results. Never throws
   * and never undoes a change.
   */
  Delivery notifyOf(List<StatusChange> changes);

  /**
   * The result of notifying receivers.
   *
   * @param sent whether every receiver has accepted the notification
   * @param attempts the number of attempts
   * @param error the messages of the failures
   */
  record Delivery(boolean sent, int attempts, Optional<String> error) {
    /** The result when there are no receivers or there is no change. */
    public static final Delivery NONE = new Delivery(false, 0, Optional.empty());
  }
}
