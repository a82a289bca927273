package dev.safeconduct.deploy;

import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Which objects files manage; writes all changes of an apply in one transaction. */
public final class Deployments {
  private static final String COLUMNS =
      "org, kind, object, name, owner, revision, applied, applied_at";

  private static final String SELECT = "SELECT " + COLUMNS + " FROM managed_object";

  private static final String INSERT = Sql.insert("managed_object", COLUMNS);

  private static final String DELETE =
      "DELETE FROM managed_object WHERE org = :org AND kind = :kind AND object = :object";

  private static final String NUMBER =
      "SELECT coalesce(max(number), 0) FROM deployment WHERE org = :org";

  private static final String NEXT =
      """
      INSERT INTO deployment (org, number)
      VALUES (:org, :number)
          ON CONFLICT (org)
          DO UPDATE SET number = excluded.number
      """;

  private final Storage storage;

  public Deployments(Storage storage) {
    this.storage = storage;
  }

  /** Returns the organization's managed objects, by kind and name. */
  public List<Managed> managed(OrgId org) {
    return storage.list(
        Sql.of(SELECT, Where.of(org, "org"), "ORDER BY kind, name, object"), Deployments::read);
  }

  /** Returns the labels of the object with that id: one, unless kinds share the id. */
  List<Managed> managed(OrgId org, String object) {
    return storage.list(
        Sql.of(SELECT, Where.of(org, "org").and("object = :object", object), "ORDER BY kind, name"),
        Deployments::read);
  }

  /** Returns how many objects of the organization files manage. */
  long count(OrgId org) {
    return storage.number(Sql.of("SELECT count(*) FROM managed_object", Where.of(org, "org")));
  }

  /** Returns how often files have changed the organization. */
  long number(OrgId org) {
    return storage.number(Sql.of(NUMBER, org));
  }

  /**
   * Everything that one apply writes.
   *
   * @param number how often files had changed the organization when this was planned
   * @param managed the labels to set
   * @param released objects that files no longer manage
   */
  record Apply(
      OrgId org,
      long number,
      List<Mutation<Boolean>> writes,
      List<Managed> managed,
      List<Managed> released,
      AuditRecord entry) {}

  /**
   * Writes everything, or nothing.
   *
   * @throws ProblemException 409 if something has changed since the plan
   */
  void write(Apply apply) {
    boolean _ =
        storage.change(connection -> {
          Directory.demand(connection, apply.org());
          if (Sql.of(NUMBER, apply.org()).number(connection) != apply.number()) {
            throw changed("Another apply has changed the organization in the meantime");
          }
          var records = new ArrayList<AuditRecord>();
          var subjects = new ArrayList<String>();
          for (Mutation<Boolean> each : apply.writes()) {
            MutationResult<Boolean> result = each.apply(connection);
            if (!result.answer()) {
              throw changed("An object has changed in the meantime");
            }
            records.addAll(result.records());
            subjects.addAll(result.subjects());
          }
          for (Managed each : apply.released()) {
            delete(connection, each);
          }
          for (Managed each : apply.managed()) {
            delete(connection, each);
            insert(connection, each);
          }
          Sql.of(NEXT, apply.org(), apply.number() + 1).update(connection);
          records.add(apply.entry());
          return new MutationResult<>(true, records, subjects);
        });
  }

  static ProblemException changed(String what) {
    return ProblemException.conflict(
        what + "; nothing was written. Plan again, then apply.", "state_changed");
  }

  /** Deletes the labels of an organization that is deleted; nothing depends on them. */
  public static List<String> deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM managed_object WHERE org = :org", org).update(connection);
    Sql.of("DELETE FROM deployment WHERE org = :org", org).update(connection);
    return List.of();
  }

  private static void delete(Connection connection, Managed each) throws SQLException {
    Sql.of(DELETE, each.org(), each.target().kind(), each.target().object()).update(connection);
  }

  private static void insert(Connection connection, Managed each) throws SQLException {
    Sql.of(INSERT)
        .set("org", each.org())
        .set("kind", each.target().kind())
        .set("object", each.target().object())
        .set("name", each.target().name())
        .set("owner", each.owner())
        .set("revision", each.revision())
        .set("applied", each.applied())
        .set("applied_at", each.appliedAt())
        .update(connection);
  }

  private static Managed read(ResultSet row) throws SQLException {
    return new Managed(
        new OrgId(row.getString("org")),
        new ResourceChange.Target(
            row.getString("kind"), row.getString("object"), row.getString("name")),
        row.getString("owner"),
        Rows.text(row, "revision"),
        Rows.json(row, "applied"),
        Rows.time(row, "applied_at"));
  }
}
