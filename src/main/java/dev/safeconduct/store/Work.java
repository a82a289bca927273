package dev.safeconduct.store;

import dev.safeconduct.audit.Commitment;
import dev.safeconduct.audit.LogEntry;
import dev.safeconduct.usage.Commit;
import dev.safeconduct.usage.LedgerEntry;
import dev.safeconduct.usage.Reservation;

/** What is queued for the writer. */
sealed interface Work {
  Ticket<?> ticket();

  /** A decision to check and append; its commitment was made on the caller's thread. */
  record Decision(LedgerEntry entry, Commitment commitment, Ticket<Commit> ticket)
      implements Work {}

  /** A reservation to give back; the answer is whether it was still to be had. */
  record Release(Reservation reservation, LogEntry entry, Ticket<Boolean> ticket) implements Work {}

  /** Another change; a small transaction of its own inside the batch. */
  record Change<T>(Mutation<T> mutation, Ticket<T> ticket) implements Work {}
}
