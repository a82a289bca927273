package dev.safeconduct.store;

import dev.safeconduct.audit.Change;
import dev.safeconduct.revocation.ChangeHistory;
import java.util.List;

/** Changes as far back as they are kept. */
record SqlChangeHistory(Reads reads) implements ChangeHistory {
  @Override
  public List<Change> after(long sequence, int limit) {
    return reads.list(
        "SELECT sequence, subject FROM change WHERE sequence > ? ORDER BY sequence LIMIT ?",
        row -> new Change(row.getLong(1), row.getString(2)),
        List.of(sequence, limit));
  }
}
