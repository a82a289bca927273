package dev.safeconduct.store;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.people.Foundation;
import dev.safeconduct.people.Organization;
import java.util.List;
import java.util.Map;

/** The first organization, its key and the marks of the first start, in one transaction. */
record SqlFoundation(Writer writer) implements Foundation {
  @Override
  public boolean lay(
      Map<String, byte[]> marks, Organization organization, ApiKey key, List<AuditRecord> entries) {
    return writer.change(connection -> {
      for (String name : marks.keySet()) {
        if (Sql.exists(connection, "SELECT 1 FROM secret WHERE name = ?", name)) {
          return Effect.none(false);
        }
      }
      for (Map.Entry<String, byte[]> mark : marks.entrySet()) {
        Sql.update(
            connection,
            "INSERT INTO secret (name, value) VALUES (?, ?)",
            mark.getKey(),
            mark.getValue());
      }
      SqlOrganizations.insert(connection, organization);
      SqlApiKeys.insert(connection, key);
      return new Effect<>(true, entries, List.of(Change.key(key.id())));
    });
  }
}
