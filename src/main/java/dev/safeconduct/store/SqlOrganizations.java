package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.people.Organization;
import dev.safeconduct.people.Organizations;
import dev.safeconduct.problem.Problem;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Organizations as rows. */
record SqlOrganizations(Writer writer, Reads reads) implements Organizations {
  private static final String SELECT = "SELECT id, name, created_at FROM organization";

  @Override
  public Optional<Organization> find(OrgId id) {
    return reads.first(SELECT + " WHERE id = ?", SqlOrganizations::read, id.value());
  }

  @Override
  public List<Organization> list(Tenant tenant, Optional<OrgId> afterId, int limit) {
    var where = Where.of(tenant, "id");
    afterId.ifPresent(after ->
        where.and(
            "(created_at, id) > (SELECT created_at, id FROM organization WHERE id = ?)",
            after.value()));
    return reads.list(
        SELECT + where.sql() + " ORDER BY created_at, id LIMIT ?",
        SqlOrganizations::read,
        where.parameters(limit));
  }

  @Override
  public Optional<Organization> first() {
    return reads.first(SELECT + " ORDER BY created_at, id LIMIT 1", SqlOrganizations::read);
  }

  @Override
  public void create(Organization organization, AuditRecord entry) {
    String id = organization.id().value();
    writer.change(connection -> {
      if (Sql.exists(connection, "SELECT 1 FROM organization WHERE id = ?", id)) {
        throw new Problem.Conflict("There is an organization " + id + ".", "org_exists")
            .toException();
      }
      insert(connection, organization);
      return Effect.of(true, entry);
    });
  }

  /** Adds the organization to a transaction. */
  static void insert(Connection connection, Organization organization) throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO organization (id, name, created_at) VALUES (?, ?, ?)",
        organization.id().value(),
        organization.name(),
        organization.createdAt().toEpochMilli());
  }

  private static Organization read(ResultSet row) throws SQLException {
    return new Organization(
        new OrgId(row.getString(1)), row.getString(2), Instant.ofEpochMilli(row.getLong(3)));
  }
}
