package dev.safeconduct.db;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.postgresql.PGProperty;

/**
 * A {@code postgresql://} address as libpq defines it (PostgreSQL manual, 34.1.1.2), converted for
 * the JDBC driver.
 *
 * @param hosts {@code host:port}, several with commas between
 * @param properties user, password and the parameters of the query
 */
public record PostgresUrl(String hosts, String database, Map<String, String> properties) {
  private static final String TARGET = "targetServerType";

  private static final Map<String, String> DRIVER_NAMES =
      Map.of(
          "application_name", "ApplicationName",
          "channel_binding", "channelBinding",
          "connect_timeout", "connectTimeout",
          "gssencmode", "gssEncMode",
          "require_auth", "requireAuth",
          "target_session_attrs", TARGET);

  private static final Set<String> PRIMARY = Set.of("read-write", "primary");

  /** What the address itself says, or {@link PostgresHosts} does. */
  private static final Set<String> REPLACED =
      Set.of("PGHOST", "PGPORT", "PGDBNAME", "service", "loadBalanceHosts", "hostRecheckSeconds");

  private static final Set<String> SECONDS =
      Set.of("connectTimeout", "loginTimeout", "socketTimeout");

  public static PostgresUrl parse(String url) {
    int start = url.indexOf("://");
    String scheme = start < 0 ? "" : url.substring(0, start);
    if (!scheme.equals("postgresql") && !scheme.equals("postgres")) {
      throw new StoreFault(
          "DATABASE_URL must look like postgresql://user:password@host:5432/database");
    }
    String rest = url.substring(start + 3);
    int query = rest.indexOf('?');
    var properties = new LinkedHashMap<String, String>();
    if (query >= 0) {
      for (String pair : rest.substring(query + 1).split("&", -1)) {
        parameter(pair, properties);
      }
      rest = rest.substring(0, query);
    }
    int at = rest.lastIndexOf('@');
    if (at >= 0) {
      String[] user = rest.substring(0, at).split(":", 2);
      properties.put("user", decode(user[0]));
      if (user.length == 2) {
        properties.put("password", decode(user[1]));
      }
      rest = rest.substring(at + 1);
    }
    int slash = rest.indexOf('/');
    String hosts = slash < 0 ? rest : rest.substring(0, slash);
    String database = slash < 0 ? "" : decode(rest.substring(slash + 1));
    if (hosts.contains(",") && List.of(hosts.split(",", -1)).contains("")) {
      throw new StoreFault("DATABASE_URL: a host between the commas is missing.");
    }
    return new PostgresUrl(
        hosts.isEmpty() ? "localhost" : hosts,
        database.isEmpty() ? properties.getOrDefault("user", "postgres") : database,
        Map.copyOf(properties));
  }

  private static void parameter(String pair, Map<String, String> properties) {
    int equals = pair.indexOf('=');
    if (equals <= 0) {
      throw new StoreFault(
          "DATABASE_URL: after the question mark must be name=value, separated by &.");
    }
    String given = decode(pair.substring(0, equals));
    String value = decode(pair.substring(equals + 1));
    String name = DRIVER_NAMES.getOrDefault(given, given);
    if (PGProperty.forName(name) == null) {
      throw new StoreFault(
          "DATABASE_URL: "
              + given
              + " is not a parameter of PostgreSQL's JDBC driver. Of libpq's own names,"
              + " application_name, channel_binding, connect_timeout, gssencmode, require_auth and"
              + " target_session_attrs are known.");
    }
    if (REPLACED.contains(name)) {
      throw new StoreFault(
          "DATABASE_URL: "
              + given
              + " has no effect. Name hosts, ports and the database before the question mark; the"
              + " service chooses the primary that has its log.");
    }
    if (name.equals(TARGET)) {
      // A node writes. With "any" it could connect to a standby and fail at every write.
      if (!PRIMARY.contains(value)) {
        throw new StoreFault(
            "DATABASE_URL: " + given + " must be read-write or primary: a node writes.");
      }
      value = "primary";
    } else if (SECONDS.contains(name) && !value.matches("[0-9]{1,6}")) {
      throw new StoreFault("DATABASE_URL: " + given + " must be a number of seconds.");
    }
    properties.put(name, value);
  }

  /** Returns a JDBC address for each host. */
  public List<String> jdbc() {
    String path = "/" + URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    return Stream.of(hosts.split(",", -1)).map(host -> "jdbc:postgresql://" + host + path).toList();
  }

  /** Returns the address without password and parameters, for messages. */
  String shown() {
    return "postgresql://" + hosts + "/" + database;
  }

  @Override
  public String toString() {
    return shown();
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      throw new StoreFault("DATABASE_URL: a percent sign must be followed by two hex digits.");
    }
  }
}
