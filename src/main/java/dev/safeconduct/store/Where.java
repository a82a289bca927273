package dev.safeconduct.store;

import dev.safeconduct.identity.Tenant;
import java.util.ArrayList;
import java.util.List;

/** The conditions of a query with their parameters; the first is always whose rows may be seen. */
final class Where {
  private final StringBuilder sql = new StringBuilder(" WHERE ");
  private final List<Object> parameters = new ArrayList<>();

  private Where(String first) {
    sql.append(first);
  }

  static Where of(Tenant tenant, String ownerColumn) {
    return switch (tenant) {
      case Tenant.One(var org) -> {
        var where = new Where(ownerColumn + " = ?");
        where.parameters.add(org.value());
        yield where;
      }
      case Tenant.Everyone _ -> new Where("1 = 1");
    };
  }

  Where and(String condition, Object... values) {
    sql.append(" AND ").append(condition);
    parameters.addAll(List.of(values));
    return this;
  }

  String sql() {
    return sql.toString();
  }

  /** The parameters, and those of what follows the conditions. */
  List<Object> parameters(Object... following) {
    var all = new ArrayList<>(parameters);
    all.addAll(List.of(following));
    return all;
  }
}
