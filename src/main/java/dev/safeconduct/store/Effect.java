package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import java.util.List;

/**
 * What a mutation did.
 *
 * @param answer for whoever asked for it
 * @param records to append to the log in the same transaction
 * @param subjects what it outdated, for the change feed
 */
record Effect<T>(T answer, List<AuditRecord> records, List<String> subjects) {
  static <T> Effect<T> none(T answer) {
    return new Effect<>(answer, List.of(), List.of());
  }

  static <T> Effect<T> of(T answer, AuditRecord entry, String... subjects) {
    return new Effect<>(answer, List.of(entry), List.of(subjects));
  }
}
