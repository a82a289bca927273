package dev.safeconduct.access.people;

import dev.safeconduct.db.Reads;
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

  /** Returns the id if it is an organization's. */
  public static Optional<OrgId> id(Reads reads, String text) {
    return reads.first(
        "SELECT id FROM organization WHERE id = :text",
        row -> new OrgId(row.getString("id")),
        text);
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

  /** Returns the tenant's organization with this id, or else those with this name, at most two. */
  List<OrgId> called(Tenant tenant, String text) {
    Optional<OrgId> byId = find(new OrgId(text)).map(Organization::id).filter(tenant::sees);
    return byId.isPresent()
        ? List.of(byId.get())
        : storage.list(
            Sql.of(
                "SELECT id FROM organization",
                Where.of(tenant, "id").and("name = :name", text),
                "ORDER BY created_at, id LIMIT 2"),
            row -> new OrgId(row.getString("id")));
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

  /** Renames the organization; returns false if it is gone. */
  public boolean rename(OrgId id, String name, AuditRecord entry) {
    return storage.update(
        Sql.of("UPDATE organization SET name = :name WHERE id = :id", name, id), entry);
  }

  /** Deletes the organization within a transaction; returns false if it is gone. */
  public static boolean delete(Connection connection, OrgId id) throws SQLException {
    return Sql.of("DELETE FROM organization WHERE id = :id", id).update(connection) == 1;
  }

  private static Organization read(ResultSet row) throws SQLException {
    return new Organization(
        new OrgId(row.getString("id")), row.getString("name"), Rows.time(row, "created_at"));
  }

  /**
   * Returns the organization in which a person with these memberships acts unless they choose. An
   * operator's is the first: anybody can add them to another one.
   */
  Optional<OrgId> home(Account account, List<Member> memberships) {
    return account.operator()
        ? first().map(Organization::id)
        : memberships.stream().map(Member::org).findFirst();
  }

  /** Returns the organization whose log records changes of a person with these memberships. */
  OrgId ofRecords(Account account, List<Member> memberships) {
    return home(account, memberships).or(() -> first().map(Organization::id)).orElseThrow();
  }
}
