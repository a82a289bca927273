package dev.safeconduct.passport;

import dev.safeconduct.ledger.Mutation;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Notifies of status changes: the owners by emails that are part of the change's transaction, and
 * external receivers after its commit.
 */
public interface StatusReceivers {
  /** An implementation without receivers. */
  StatusReceivers NONE = _ -> Delivery.NONE;

  /** Returns the storing of the changes of one request together with the emails about them. */
  default Mutation<Boolean> emailed(List<StatusChange> changes, Mutation<Boolean> stored) {
    return emailed(changes, stored, Boolean::booleanValue);
  }

  /**
   * Returns the storing together with the emails.
   *
   * @param done whether an answer says that the changes are stored
   */
  default <T> Mutation<T> emailed(
      List<StatusChange> changes, Mutation<T> stored, Predicate<T> done) {
    return stored;
  }

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
