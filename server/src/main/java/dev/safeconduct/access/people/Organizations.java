package dev.safeconduct.access.people;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The organizations. */
public final class Organizations {
  private static final String SELECT = "SELECT id, name, created_at FROM organization";

  private final Storage storage;

  public Organizations(Storage storage) {
    this.storage = storage;
  }

  public Optional<Organization> find(OrgId id) {
    return storage.first(SELECT + " WHERE id = :id", Organizations::read, id);
  }

  /** Returns the organizations the tenant may see, oldest first, starting after {@code afterId}. */
  public List<Organization> list(Tenant tenant, Optional<OrgId> afterId, int limit) {
    var where = Where.of(tenant, "id");
    afterId.ifPresent(after ->
        where.and(
            "(created_at, id) > (SELECT created_at, id FROM organization WHERE id = :after)",
            after));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at, id LIMIT :limit", limit), Organizations::read);
  }

  /** Returns the oldest organization, the default of the admin credential. */
  public Optional<Organization> first() {
    return storage.first(SELECT + " ORDER BY created_at, id LIMIT 1", Organizations::read);
  }

  /** Adds the organization and appends the record together. */
  public void create(Organization organization, AuditRecord entry) {
    storage.change(connection -> {
      insert(connection, organization);
      return MutationResult.of(true, entry);
    });
  }

  /** Adds the organization to a transaction. */
  public static void insert(Connection connection, Organization organization) throws SQLException {
    Sql.of(
            "INSERT INTO organization (id, name, created_at) VALUES (:id, :name, :created)",
            organization.id(),
            organization.name(),
            organization.createdAt())
        .update(connection);
  }

  private static Organization read(ResultSet row) throws SQLException {
    return new Organization(
        new OrgId(row.getString("id")), row.getString("name"), Rows.time(row, "created_at"));
  }
}
