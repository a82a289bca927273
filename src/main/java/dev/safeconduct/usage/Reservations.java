package dev.safeconduct.usage;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.Tenant;
import java.util.Optional;
import java.util.UUID;

/**
 * Where reservations are kept. They come into being with their decision, by {@link Ledger#commit};
 * each is settled at most once, in one transaction with its record.
 */
public interface Reservations {
  /** The reservation of that decision, if the tenant may see it. */
  Optional<Reservation> find(Tenant tenant, UUID decisionId);

  /**
   * Keeps the charges for good.
   *
   * @return false when it was settled or had expired at the record's time; nothing is written then
   */
  boolean commit(Reservation reservation, AuditRecord entry);

  /**
   * Gives every charge back to the counter it was taken from, and frees the idempotency key.
   *
   * @return false when it was settled or had expired at the record's time; nothing is written then
   */
  boolean release(Reservation reservation, AuditRecord entry);
}
