package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.usage.Reservation;
import dev.safeconduct.usage.Reservations;
import java.util.Optional;
import java.util.UUID;

/** Reservations as rows; a release goes through the writer's counters. */
record SqlReservations(Writer writer, Reads reads) implements Reservations {
  @Override
  public Optional<Reservation> find(Tenant tenant, UUID decisionId) {
    var where = Where.of(tenant, "org").and("record_id = ?", AuditRows.bytes(decisionId));
    return reads
        .list(ReservationRows.SELECT + where.sql(), ReservationRows::read, where.parameters())
        .stream()
        .findFirst();
  }

  @Override
  public boolean commit(Reservation reservation, AuditRecord entry) {
    return writer.change(connection ->
        ReservationRows.settle(connection, reservation, Reservation.Kind.COMMITTED, entry.at())
            ? Effect.of(true, entry)
            : Effect.none(false));
  }

  @Override
  public boolean release(Reservation reservation, AuditRecord entry) {
    return writer.release(reservation, entry);
  }
}
