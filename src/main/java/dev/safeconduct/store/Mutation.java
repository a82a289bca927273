package dev.safeconduct.store;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A change that is not a decision. It may be applied again when its batch has to be repeated, and
 * may throw a {@code ProblemException}: then it alone is undone and refused.
 */
@FunctionalInterface
interface Mutation<T> {
  Effect<T> apply(Connection connection) throws SQLException;
}
