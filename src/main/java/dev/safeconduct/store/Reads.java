package dev.safeconduct.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queries outside the writer; each sees everything that has been answered before it began. */
final class Reads {
  private static final Logger LOG = LoggerFactory.getLogger(Reads.class);

  /** More than a pool holds, so that one of the tries is on a fresh connection. */
  private static final int MOST_BROKEN = 12;

  private final DataSource source;

  Reads(DataSource source) {
    this.source = source;
  }

  /**
   * The rows of a query.
   *
   * @throws dev.safeconduct.problem.ProblemException {@code Unavailable} when it fails
   */
  <T> List<T> list(String sql, Sql.Row<T> row, List<?> parameters) {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = source.getConnection()) {
        return Sql.list(connection, sql, row, parameters);
      } catch (SQLException e) {
        // After an outage the pool may still hold connections that broke in it; reading again on
        // another one changes nothing.
        if (!SqlFault.isLostConnection(e) || attempt == MOST_BROKEN) {
          LOG.error("a query failed", e);
          throw Outage.failed().toException();
        }
      }
    }
  }

  /** The first row of a query. */
  <T> Optional<T> first(String sql, Sql.Row<T> row, Object... parameters) {
    return list(sql, row, List.of(parameters)).stream().findFirst();
  }
}
