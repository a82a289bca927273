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
    try (Connection connection = source.getConnection()) {
      return Sql.list(connection, sql, row, parameters);
    } catch (SQLException e) {
      LOG.error("a query failed", e);
      throw Outage.failed().toException();
    }
  }

  /** The first row of a query. */
  <T> Optional<T> first(String sql, Sql.Row<T> row, Object... parameters) {
    return list(sql, row, List.of(parameters)).stream().findFirst();
  }
}
