package dev.safeconduct.passport;

import java.util.Optional;

/** Tells receivers outside of a status change, after it has been committed. */
public interface StatusReceivers {
  /** Nobody to tell. */
  StatusReceivers NONE = _ -> Delivery.NONE;

  /** Tells them and waits for what comes of it; never throws, never undoes the change. */
  Delivery tell(StatusChange change);

  /**
   * What came of telling them.
   *
   * @param sent whether every receiver has taken it
   * @param attempts how many tries it took
   * @param error the last failure, in words
   */
  record Delivery(boolean sent, int attempts, Optional<String> error) {
    /** There was nobody to tell, or nothing. */
    public static final Delivery NONE = new Delivery(false, 0, Optional.empty());
  }
}
