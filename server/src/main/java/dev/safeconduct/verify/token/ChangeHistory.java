package dev.safeconduct.verify.token;

import dev.safeconduct.db.Reads;
import dev.safeconduct.ledger.Change;
import java.util.List;

/** The stored past changes of all nodes. */
public final class ChangeHistory {
  private final Reads reads;

  public ChangeHistory(Reads reads) {
    this.reads = reads;
  }

  /** Returns the changes after the sequence, oldest first. */
  public List<Change> after(long sequence, int limit) {
    return reads.list(
        """
        SELECT sequence, subject FROM change
         WHERE sequence > :sequence
         ORDER BY sequence
         LIMIT :limit
        """,
        row -> new Change(row.getLong("sequence"), row.getString("subject")),
        sequence,
        limit);
  }
}
