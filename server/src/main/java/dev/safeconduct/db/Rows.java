package dev.safeconduct.db;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** Reads columns of a result. */
public final class Rows {
  private Rows() {}

  public static Optional<String> text(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getString(column));
  }

  public static Optional<Long> number(ResultSet row, String column) throws SQLException {
    long number = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(number);
  }

  public static Instant time(ResultSet row, String column) throws SQLException {
    return Instant.ofEpochMilli(row.getLong(column));
  }

  public static Optional<Instant> optionalTime(ResultSet row, String column) throws SQLException {
    return number(row, column).map(Instant::ofEpochMilli);
  }

  public static UUID uuid(ResultSet row, String column) throws SQLException {
    return uuid(row.getBytes(column));
  }

  public static UUID uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  public static JsonObject json(ResultSet row, String column) throws SQLException {
    try {
      return Json.parseObject(row.getString(column).getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new SQLException("the stored " + column + " is not JSON", e);
    }
  }
}
