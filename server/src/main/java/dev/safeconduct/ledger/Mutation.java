package dev.safeconduct.ledger;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A change that is not a decision. It may be applied again when its batch is repeated. It may throw
 * a {@code ProblemException}: then only this mutation is undone and refused.
 */
@FunctionalInterface
public interface Mutation<T> {
  MutationResult<T> apply(Connection connection) throws SQLException;
}
