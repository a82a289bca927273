package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.hosted.HostedPack;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.PackVersion;
import dev.safeconduct.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Organizations' packs as rows, each version one of its own. */
record SqlHostedPacks(Writer writer, Reads reads) implements HostedPacks {
  private static final String VERSION =
      "version, digest, name, label, created_at, created_by, deprecated_at";

  private static final String SELECT =
      "SELECT p.org, p.policy_id, p.shadow_since, p.revision, p.created_at AS begun_at,"
          + " p.changed_at, "
          + columns("l")
          + ", "
          + columns("a")
          + ", "
          + columns("s")
          + " FROM organization_pack p"
          + " JOIN pack_version l ON l.org = p.org AND l.policy_id = p.policy_id"
          + " AND l.version = p.latest"
          + " LEFT JOIN pack_version a ON a.org = p.org AND a.policy_id = p.policy_id"
          + " AND a.version = p.active"
          + " LEFT JOIN pack_version s ON s.org = p.org AND s.policy_id = p.policy_id"
          + " AND s.version = p.shadow";

  private static String columns(String table) {
    var columns = new StringBuilder();
    for (String column : VERSION.split(", ", -1)) {
      columns
          .append(columns.isEmpty() ? "" : ", ")
          .append(table + "." + column + " AS " + table + "_" + column);
    }
    return columns.toString();
  }

  @Override
  public Optional<HostedPack> find(OrgId org, PolicyId id) {
    var where = Where.of(new Tenant.One(org), "p.org").and("p.policy_id = ?", id.value());
    return reads.list(SELECT + where.sql(), SqlHostedPacks::pack, where.parameters()).stream()
        .findFirst();
  }

  @Override
  public List<HostedPack> list(OrgId org, Optional<String> after, int limit) {
    var where = Where.of(new Tenant.One(org), "p.org");
    after.ifPresent(id -> where.and("p.policy_id > ?", id));
    return reads.list(
        SELECT + where.sql() + " ORDER BY p.policy_id LIMIT ?",
        SqlHostedPacks::pack,
        where.parameters(limit));
  }

  @Override
  public long count(OrgId org) {
    var where = Where.of(new Tenant.One(org), "org");
    return reads
        .list(
            "SELECT count(*) FROM organization_pack" + where.sql(),
            row -> row.getLong(1),
            where.parameters())
        .getFirst();
  }

  @Override
  public List<Changed> changedAfter(OrgId org, long after, int limit) {
    var where = Where.of(new Tenant.One(org), "org").and("change_no > ?", after);
    return reads.list(
        "SELECT policy_id, change_no FROM organization_pack"
            + where.sql()
            + " ORDER BY change_no DESC LIMIT ?",
        row -> new Changed(new PolicyId(row.getString(1)), row.getLong(2)),
        where.parameters(limit));
  }

  @Override
  public List<PackVersion> versions(OrgId org, PolicyId id, int before, int limit) {
    var where = versionsOf(org, id).and("version < ?", before);
    return reads.list(
        "SELECT " + VERSION + " FROM pack_version" + where.sql() + " ORDER BY version DESC LIMIT ?",
        row -> version(row, ""),
        where.parameters(limit));
  }

  @Override
  public Optional<PackVersion> version(OrgId org, PolicyId id, int number) {
    return versions(org, id, number + 1, 1).stream()
        .filter(version -> version.number() == number)
        .findFirst();
  }

  @Override
  public Optional<JsonObject> document(OrgId org, PolicyId id, int number) {
    var where = versionsOf(org, id).and("version = ?", number);
    return reads
        .list(
            "SELECT document FROM pack_version" + where.sql(),
            row -> document(row.getString(1)),
            where.parameters())
        .stream()
        .findFirst();
  }

  private static Where versionsOf(OrgId org, PolicyId id) {
    return Where.of(new Tenant.One(org), "org").and("policy_id = ?", id.value());
  }

  @Override
  public void create(
      OrgId org, PolicyId id, PackVersion first, JsonObject document, AuditRecord entry) {
    writer.change(connection -> {
      if (Sql.exists(
          connection,
          "SELECT 1 FROM organization_pack WHERE org = ? AND policy_id = ?",
          org.value(),
          id.value())) {
        throw new Problem.Conflict(
                "The organization has a pack "
                    + id
                    + "; PUT /api/orgs/"
                    + org.value()
                    + "/policies/"
                    + id
                    + " adds a version to it.",
                "policy_exists")
            .toException();
      }
      insert(connection, org, id, first, document);
      long at = first.createdAt().toEpochMilli();
      Sql.update(
          connection,
          "INSERT INTO organization_pack (org, policy_id, latest, active, shadow, shadow_since,"
              + " revision, change_no, created_at, changed_at)"
              + " VALUES (?, ?, 1, NULL, NULL, NULL, 1, ?, ?, ?)",
          org.value(),
          id.value(),
          nextChange(connection, org),
          at,
          at);
      return Effect.of(true, entry, Change.packs(org.value()));
    });
  }

  @Override
  public boolean add(HostedPack seen, PackVersion next, JsonObject document, AuditRecord entry) {
    return writer.change(connection -> {
      if (!touch(connection, seen, next.createdAt(), "latest = ?", next.number())) {
        return Effect.none(false);
      }
      insert(connection, seen.org(), seen.id(), next, document);
      return Effect.of(true, entry, Change.packs(seen.org().value()));
    });
  }

  @Override
  public boolean use(HostedPack seen, Use use, AuditRecord entry) {
    return writer.change(connection -> {
      if (!touch(
          connection,
          seen,
          use.at(),
          "active = ?, shadow = ?, shadow_since = ?",
          number(use.active()),
          number(use.shadow()),
          Sql.millis(use.shadowSince()))) {
        return Effect.none(false);
      }
      if (use.deprecated().isPresent()) {
        Sql.update(
            connection,
            "UPDATE pack_version SET deprecated_at = ?"
                + " WHERE org = ? AND policy_id = ? AND version = ? AND deprecated_at IS NULL",
            use.at().toEpochMilli(),
            seen.org().value(),
            seen.id().value(),
            use.deprecated().getAsInt());
      }
      return Effect.of(true, entry, Change.packs(seen.org().value()));
    });
  }

  /** Whether the pack is still as it was seen; then it is changed. */
  private static boolean touch(
      Connection connection, HostedPack seen, Instant at, String set, @Nullable Object... values)
      throws SQLException {
    var parameters = new java.util.ArrayList<@Nullable Object>(java.util.Arrays.asList(values));
    parameters.add(nextChange(connection, seen.org()));
    parameters.add(at.toEpochMilli());
    parameters.add(seen.org().value());
    parameters.add(seen.id().value());
    parameters.add(seen.revision());
    return Sql.update(
            connection,
            "UPDATE organization_pack SET "
                + set
                + ", revision = revision + 1, change_no = ?, changed_at = ?"
                + " WHERE org = ? AND policy_id = ? AND revision = ?",
            parameters.toArray())
        == 1;
  }

  /** Writers stand in one line, so nobody else takes the same number. */
  private static long nextChange(Connection connection, OrgId org) throws SQLException {
    return Sql.list(
            connection,
            "SELECT coalesce(max(change_no), 0) + 1 FROM organization_pack WHERE org = ?",
            row -> row.getLong(1),
            List.of(org.value()))
        .getFirst();
  }

  private static void insert(
      Connection connection, OrgId org, PolicyId id, PackVersion version, JsonObject document)
      throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO pack_version (org, policy_id, "
            + VERSION
            + ", document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        org.value(),
        id.value(),
        version.number(),
        version.digest(),
        version.name(),
        version.label(),
        version.createdAt().toEpochMilli(),
        version.createdBy(),
        Sql.millis(version.deprecatedAt()),
        Json.text(document));
  }

  private static @Nullable Object number(OptionalInt version) {
    return version.isPresent() ? version.getAsInt() : null;
  }

  private static HostedPack pack(ResultSet row) throws SQLException {
    return new HostedPack(
        new OrgId(row.getString("org")),
        new PolicyId(row.getString("policy_id")),
        version(row, "l_"),
        found(row, "a_"),
        found(row, "s_"),
        Sql.instant(row, "shadow_since"),
        row.getLong("revision"),
        Instant.ofEpochMilli(row.getLong("begun_at")),
        Instant.ofEpochMilli(row.getLong("changed_at")));
  }

  private static Optional<PackVersion> found(ResultSet row, String prefix) throws SQLException {
    return row.getString(prefix + "digest") == null
        ? Optional.empty()
        : Optional.of(version(row, prefix));
  }

  private static PackVersion version(ResultSet row, String prefix) throws SQLException {
    return new PackVersion(
        row.getInt(prefix + "version"),
        row.getString(prefix + "digest"),
        row.getString(prefix + "name"),
        row.getString(prefix + "label"),
        Instant.ofEpochMilli(row.getLong(prefix + "created_at")),
        row.getString(prefix + "created_by"),
        Sql.instant(row, prefix + "deprecated_at"));
  }

  private static JsonObject document(String text) throws SQLException {
    try {
      return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new SQLException("a stored pack cannot be read", e);
    }
  }
}
