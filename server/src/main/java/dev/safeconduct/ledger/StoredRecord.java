package dev.safeconduct.ledger;

/**
 * A record with its position in the log.
 *
 * @param logIndex the position, counted from 0 over all organizations, without gaps
 * @param commitment the record's commitment in the Merkle log
 */
public record StoredRecord(long logIndex, AuditRecord entry, Commitment commitment) {}
