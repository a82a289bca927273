package dev.safeconduct.ledger;

/** A record to be appended to the log, with its commitment. */
public record LogEntry(AuditRecord record, Commitment commitment) {}
