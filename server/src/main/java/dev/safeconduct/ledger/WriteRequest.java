package dev.safeconduct.ledger;

/** A request queued for the writer. */
sealed interface WriteRequest {
  PendingWrite<?> ticket();

  /** A decision to check and append; its commitment was made on the caller's thread. */
  record Decision(LedgerEntry entry, Commitment commitment, PendingWrite<Commit> ticket)
      implements WriteRequest {}

  /** Charges to refund; the result is whether they could still be refunded. */
  record GiveBack(Refund refund, LogEntry entry, PendingWrite<Boolean> ticket)
      implements WriteRequest {}

  /** Another change, a savepoint of its own inside the batch. */
  record Change<T>(Mutation<T> mutation, PendingWrite<T> ticket) implements WriteRequest {}
}
