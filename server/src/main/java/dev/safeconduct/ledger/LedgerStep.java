package dev.safeconduct.ledger;

import java.sql.Connection;
import java.sql.SQLException;

/** A feature's part of a decision's transaction: taken together with the charges, or not at all. */
@FunctionalInterface
public interface LedgerStep {
  /**
   * Takes the step. It may be taken again when the batch is repeated.
   *
   * @param decision the record that is about to be appended
   * @return false when it can no longer be taken; it has written nothing then, and the decision is
   *     superseded
   */
  boolean take(Connection connection, AuditRecord decision) throws SQLException;
}
