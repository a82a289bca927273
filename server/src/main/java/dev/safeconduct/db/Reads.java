package dev.safeconduct.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queries outside the writer; each sees all changes that were acknowledged before it began. */
public final class Reads {
  private static final Logger LOG = LoggerFactory.getLogger(Reads.class);

  /** More attempts than the pool's size, so that one of them uses a fresh connection. */
  private static final int MOST_BROKEN = 12;

  private final DataSource source;

  public Reads(DataSource source) {
    this.source = source;
  }

  /**
   * Returns the rows of a query.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Unavailable} when it fails
   */
  public <T> List<T> list(Sql query, Sql.Row<T> row) {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = source.getConnection()) {
        return query.list(connection, row);
      } catch (SQLException e) {
        // After an outage the pool may still hold broken connections. Repeating a read on another
        // connection is safe.
        if (!SqlFault.isLostConnection(e) || attempt == MOST_BROKEN) {
          LOG.error("a query failed", e);
          throw StoreUnavailable.failed().toException();
        }
      }
    }
  }

  /** Returns the rows of a query with these values, see {@link Sql#of(String, Object...)}. */
  public <T> List<T> list(String query, Sql.Row<T> row, @Nullable Object... values) {
    return list(Sql.of(query, values), row);
  }

  public <T> Optional<T> first(Sql query, Sql.Row<T> row) {
    return list(query, row).stream().findFirst();
  }

  public <T> Optional<T> first(String query, Sql.Row<T> row, @Nullable Object... values) {
    return first(Sql.of(query, values), row);
  }

  /** Returns the number in the first column of the only row. */
  public long number(Sql query) {
    return list(query, row -> row.getLong(1)).getFirst();
  }
}
