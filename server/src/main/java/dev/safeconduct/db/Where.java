package dev.safeconduct.db;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The conditions of a query with their values; the first one restricts it to a tenant's rows. */
public final class Where {
  private final StringBuilder sql = new StringBuilder("WHERE ");
  private final Map<String, Object> values = new LinkedHashMap<>();

  private Where() {}

  public static Where of(Tenant tenant, String ownerColumn) {
    return switch (tenant) {
      case Tenant.One(var org) -> of(org, ownerColumn);
      case Tenant.Everyone _ -> {
        var where = new Where();
        where.sql.append("1 = 1");
        yield where;
      }
    };
  }

  public static Where of(OrgId org, String ownerColumn) {
    var where = new Where();
    where.sql.append(ownerColumn).append(" = :tenant");
    where.values.put("tenant", org);
    return where;
  }

  /**
   * Adds a condition; {@code :tenant} is the organization in it too.
   *
   * @param values of its other names, in the order in which these first occur
   */
  public Where and(String condition, Object... values) {
    List<String> names =
        Sql.Compiled.of(condition).names().stream().filter(name -> !name.equals("tenant")).toList();
    if (names.size() != values.length) {
      throw new IllegalArgumentException(condition + " has not as many names as values");
    }
    for (int i = 0; i < values.length; i++) {
      if (this.values.putIfAbsent(names.get(i), values[i]) != null) {
        throw new IllegalArgumentException("two conditions with a :" + names.get(i));
      }
    }
    sql.append(" AND ").append(condition);
    return this;
  }

  String sql() {
    return sql.toString();
  }

  Map<String, Object> values() {
    return values;
  }
}
