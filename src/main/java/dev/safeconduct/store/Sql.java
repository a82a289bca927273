package dev.safeconduct.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Statements with their parameters in a row; a parameter is a text, a number, bytes or null. */
final class Sql {
  private Sql() {}

  /** Makes a value of the row a result stands at. */
  @FunctionalInterface
  interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  static <T> List<T> list(
      Connection connection, String sql, Row<T> row, List<? extends @Nullable Object> parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      try (ResultSet rows = statement.executeQuery()) {
        var found = new ArrayList<T>();
        while (rows.next()) {
          found.add(row.read(rows));
        }
        return found;
      }
    }
  }

  static int update(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, java.util.Arrays.asList(parameters));
      return statement.executeUpdate();
    }
  }

  static boolean exists(Connection connection, String sql, Object... parameters)
      throws SQLException {
    return !list(connection, sql, row -> 1, List.of(parameters)).isEmpty();
  }

  private static void bind(PreparedStatement statement, List<? extends @Nullable Object> parameters)
      throws SQLException {
    for (int i = 0; i < parameters.size(); i++) {
      switch (parameters.get(i)) {
        case String text -> statement.setString(i + 1, text(text));
        case byte[] bytes -> statement.setBytes(i + 1, bytes);
        case null -> statement.setObject(i + 1, null);
        case Object number -> statement.setObject(i + 1, number);
      }
    }
  }

  /** The text as both databases can keep it: PostgreSQL has no U+0000. */
  static String text(String text) {
    return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
  }

  static @Nullable Long millis(Optional<Instant> time) {
    return time.isPresent() ? time.get().toEpochMilli() : null;
  }

  static Optional<Long> whole(ResultSet row, String column) throws SQLException {
    long number = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(number);
  }

  static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
    return whole(row, column).map(Instant::ofEpochMilli);
  }
}
