package dev.safeconduct.db;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A {@code postgresql://} address as libpq defines it (PostgreSQL manual, 34.1.1.2), converted for
 * the JDBC driver.
 *
 * @param hosts {@code host:port}, several with commas between
 * @param properties user, password and the parameters of the query
 */
public record PostgresUrl(String hosts, String database, Map<String, String> properties) {
  private static final Map<String, String> DRIVER_NAMES =
      Map.of(
          "application_name", "ApplicationName",
          "connect_timeout", "connectTimeout",
          "target_session_attrs", "targetServerType");

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
        int equals = pair.indexOf('=');
        if (equals > 0) {
          String name = decode(pair.substring(0, equals));
          String value = decode(pair.substring(equals + 1));
          if (name.equals("target_session_attrs")) {
            // A node writes. "any" would let it connect to a standby and fail at every write.
            if (!value.equals("read-write") && !value.equals("primary")) {
              throw new StoreFault(
                  "DATABASE_URL: target_session_attrs must be read-write or primary.");
            }
            value = "primary";
          }
          properties.put(DRIVER_NAMES.getOrDefault(name, name), value);
        }
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
    return new PostgresUrl(
        hosts.isEmpty() ? "localhost" : hosts,
        database.isEmpty() ? properties.getOrDefault("user", "postgres") : database,
        Map.copyOf(properties));
  }

  public String jdbc() {
    return "jdbc:postgresql://"
        + hosts
        + "/"
        + URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
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
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
