package dev.safeconduct.access.people;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.db.Sql;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.util.List;
import java.util.Map;

/** Stores the initial data of a service. */
public final class Bootstrap {
  private final Storage storage;

  public Bootstrap(Storage storage) {
    this.storage = storage;
  }

  /**
   * Stores all of it, or nothing when one of the marks exists; returns whether it did.
   *
   * @param marks named values of the vault
   */
  public boolean lay(
      Map<String, byte[]> marks, Organization organization, ApiKey key, List<AuditRecord> entries) {
    return storage.change(connection -> {
      for (String name : marks.keySet()) {
        if (Sql.of("SELECT 1 FROM secret WHERE name = :name", name).exists(connection)) {
          return MutationResult.none(false);
        }
      }
      for (Map.Entry<String, byte[]> mark : marks.entrySet()) {
        Sql.of(
                "INSERT INTO secret (name, value) VALUES (:name, :value)",
                mark.getKey(),
                mark.getValue())
            .update(connection);
      }
      Organizations.insert(connection, organization);
      ApiKeys.insert(connection, key);
      return new MutationResult<>(true, entries, List.of(Change.key(key.id())));
    });
  }
}
