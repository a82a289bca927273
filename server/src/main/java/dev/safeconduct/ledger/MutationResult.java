package dev.safeconduct.ledger;

import java.util.List;

/**
 * The result of a mutation.
 *
 * @param answer the result for the caller
 * @param records to append to the log in the same transaction
 * @param subjects the subjects it outdates, for the change feed
 */
public record MutationResult<T>(T answer, List<AuditRecord> records, List<String> subjects) {
  public static <T> MutationResult<T> none(T answer) {
    return new MutationResult<>(answer, List.of(), List.of());
  }

  /** Returns the result of a change with its record, or of no change. */
  public static MutationResult<Boolean> when(boolean done, AuditRecord entry, String... subjects) {
    return done ? of(true, entry, subjects) : none(false);
  }

  public static <T> MutationResult<T> of(T answer, AuditRecord entry, String... subjects) {
    return new MutationResult<>(answer, List.of(entry), List.of(subjects));
  }
}
