package dev.safeconduct.audit;

/** A record on its way into the log, committed to. */
public record LogEntry(AuditRecord record, Commitment commitment) {}
