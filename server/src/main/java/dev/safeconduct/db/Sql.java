package dev.safeconduct.db;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonValue;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A statement with named parameters, written {@code :name}, and their values. Each text is parsed
 * once. A value is a text, number, boolean, time, duration, id, JSON, bytes, null, or an Optional
 * of one of these.
 */
public final class Sql {
  /** Matches quoted texts and casts too, which contain no parameter names. */
  private static final Pattern NAME = Pattern.compile("'[^']*'|::|:([a-z]\\w*)");

  /** Parsed statements by text. There are few texts, as values are never part of them. */
  private static final Map<String, Compiled> COMPILED = new ConcurrentHashMap<>();

  /** Marks a parameter without a value. */
  private enum Unset {
    VALUE
  }

  /**
   * A statement in JDBC syntax.
   *
   * @param names in the order of their first use
   * @param places the parameter name of each question mark
   */
  record Compiled(String sql, List<String> names, List<Integer> places) {
    static Compiled of(String text) {
      Compiled known = COMPILED.get(text);
      return known == null ? COMPILED.computeIfAbsent(text, Compiled::compile) : known;
    }

    private static Compiled compile(String text) {
      var names = new ArrayList<String>();
      var places = new ArrayList<Integer>();
      String sql =
          NAME.matcher(text)
              .replaceAll(found -> {
                if (found.group(1) == null) {
                  return Matcher.quoteReplacement(found.group());
                }
                if (!names.contains(found.group(1))) {
                  names.add(found.group(1));
                }
                places.add(names.indexOf(found.group(1)));
                return "?";
              });
      return new Compiled(sql, List.copyOf(names), List.copyOf(places));
    }
  }

  /** Converts the current row of a result into a value. */
  @FunctionalInterface
  public interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  private final Compiled compiled;
  private final @Nullable Object[] values;

  private Sql(Compiled compiled) {
    this.compiled = compiled;
    this.values = new @Nullable Object[compiled.names().size()];
    Arrays.fill(values, Unset.VALUE);
  }

  /**
   * Returns the statement with the values of its first names, in the order of their first use.
   * {@link #set} sets the others.
   */
  public static Sql of(String text, @Nullable Object... values) {
    var sql = new Sql(Compiled.of(text));
    System.arraycopy(values, 0, sql.values, 0, values.length);
    return sql;
  }

  /** Returns an insert of these columns; the parameters have the columns' names. */
  public static String insert(String table, String columns) {
    String names = columns.strip().replaceAll(",\\s*", ", :");
    return "INSERT INTO " + table + " (" + columns + ") VALUES (:" + names + ")";
  }

  /** Returns the query with these conditions. */
  public static Sql of(String select, Where where) {
    return of(select, where, "");
  }

  /**
   * Returns the query with these conditions and the text that follows them.
   *
   * @param values of names in {@code rest}
   */
  public static Sql of(String select, Where where, String rest, @Nullable Object... values) {
    Sql sql = of(select + " " + where.sql() + " " + rest);
    where.values().forEach(sql::set);
    List<String> names = Compiled.of(rest).names();
    for (int i = 0; i < values.length; i++) {
      sql.set(names.get(i), values[i]);
    }
    return sql;
  }

  public Sql set(String name, @Nullable Object value) {
    int place = compiled.names().indexOf(name);
    if (place < 0) {
      throw new IllegalArgumentException("the statement has no :" + name);
    }
    values[place] = value;
    return this;
  }

  public <T> List<T> list(Connection connection, Row<T> row) throws SQLException {
    try (PreparedStatement statement = prepare(connection);
        ResultSet rows = statement.executeQuery()) {
      var found = new ArrayList<T>();
      while (rows.next()) {
        found.add(row.read(rows));
      }
      return found;
    }
  }

  public <T> Optional<T> first(Connection connection, Row<T> row) throws SQLException {
    return list(connection, row).stream().findFirst();
  }

  /** Returns the number in the first column of the only row. */
  public long number(Connection connection) throws SQLException {
    return list(connection, row -> row.getLong(1)).getFirst();
  }

  public boolean exists(Connection connection) throws SQLException {
    return !list(connection, _ -> true).isEmpty();
  }

  /** Changes rows and returns their number. */
  public int update(Connection connection) throws SQLException {
    try (PreparedStatement statement = prepare(connection)) {
      return statement.executeUpdate();
    }
  }

  /**
   * Runs statements of one text together and returns the number of rows that each has changed. The
   * transaction is not held up by a round trip for each.
   */
  public static int[] updateAll(Connection connection, List<Sql> all) throws SQLException {
    if (all.isEmpty()) {
      return new int[0];
    }
    Compiled text = all.getFirst().compiled;
    try (PreparedStatement statement = connection.prepareStatement(text.sql())) {
      for (Sql sql : all) {
        if (!sql.compiled.equals(text)) {
          throw new IllegalArgumentException("the statements have different texts");
        }
        sql.bind(statement);
        statement.addBatch();
      }
      return statement.executeBatch();
    }
  }

  private PreparedStatement prepare(Connection connection) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(compiled.sql());
    try {
      bind(statement);
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  private void bind(PreparedStatement statement) throws SQLException {
    int parameter = 1;
    for (int place : compiled.places()) {
      if (values[place] instanceof Unset) {
        throw new IllegalStateException("no value for :" + compiled.names().get(place));
      }
      statement.setObject(parameter++, column(values[place]));
    }
  }

  /** Converts a value to its column type. */
  private static @Nullable Object column(@Nullable Object value) {
    return switch (value) {
      case String text -> text(text);
      case OrgId org -> text(org.value());
      case AgentId agent -> text(agent.value());
      case EmailAddress email -> text(email.value());
      case JsonValue json -> Json.text(json);
      case Boolean is -> is ? 1 : 0;
      case Instant time -> time.toEpochMilli();
      case Duration duration -> duration.toMillis();
      case UUID id -> bytes(id);
      case Optional<?> some -> column(some.isPresent() ? some.get() : null);
      case OptionalInt some -> some.isPresent() ? some.getAsInt() : null;
      case null, default -> value;
    };
  }

  /** Returns the text as both databases can store it: PostgreSQL has no U+0000. */
  public static String text(String text) {
    return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
  }

  /** Returns the id as stored in a column of bytes. */
  public static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }
}
