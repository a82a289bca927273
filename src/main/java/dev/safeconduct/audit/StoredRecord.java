package dev.safeconduct.audit;

/**
 * A record with its place in the log.
 *
 * @param logIndex the place, counted from 0 over all organizations, without gaps
 * @param commitment what the Merkle log holds of it
 */
public record StoredRecord(long logIndex, AuditRecord entry, Commitment commitment) {}
