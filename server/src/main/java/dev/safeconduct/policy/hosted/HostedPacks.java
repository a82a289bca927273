package dev.safeconduct.policy.hosted;

import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.policy.PolicyId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stores the packs of organizations, one row per version. Each change is one transaction with its
 * audit record and publishes {@code packs:<org>} on the change feed.
 */
public final class HostedPacks {
  private static final String VERSION =
      "version, digest, name, label, created_at, created_by, deprecated_at";

  private static final String SELECT =
      """
      SELECT p.org, p.policy_id, p.shadow_since, p.revision, p.created_at AS begun_at, p.changed_at,
             %s, %s, %s
        FROM organization_pack p
        JOIN pack_version l
          ON l.org = p.org AND l.policy_id = p.policy_id AND l.version = p.latest
        LEFT JOIN pack_version a
          ON a.org = p.org AND a.policy_id = p.policy_id AND a.version = p.active
        LEFT JOIN pack_version s
          ON s.org = p.org AND s.policy_id = p.policy_id AND s.version = p.shadow
      """
          .formatted(columns("l"), columns("a"), columns("s"));

  private static final String INSERT_PACK =
      """
      INSERT INTO organization_pack (org, policy_id, latest, active, shadow, shadow_since,
                                     revision, change_no, created_at, changed_at)
      VALUES (:org, :policy, 1, NULL, NULL, NULL, 1, :change, :at, :at)
      """;

  private static final String INSERT_VERSION =
      Sql.insert("pack_version", "org, policy_id, " + VERSION + ", document");

  /** Updates a pack only at the expected revision; the changed columns replace %s. */
  private static final String TOUCH =
      """
      UPDATE organization_pack
         SET %s, revision = revision + 1, change_no = :change, changed_at = :at
       WHERE org = :org AND policy_id = :policy AND revision = :seen
      """;

  private static final String ADD = TOUCH.formatted("latest = :latest");
  private static final String USE =
      TOUCH.formatted("active = :active, shadow = :shadow, shadow_since = :since");

  private static final String DEPRECATE =
      """
      UPDATE pack_version SET deprecated_at = :at
       WHERE org = :org AND policy_id = :policy AND version = :version AND deprecated_at IS NULL
      """;

  private static final String LAST_CHANGE =
      "SELECT coalesce(max(change_no), 0) FROM organization_pack WHERE org = :org";

  private final Storage storage;

  public HostedPacks(Storage storage) {
    this.storage = storage;
  }

  private static String columns(String table) {
    return Stream.of(VERSION.split(", ", -1))
        .map(column -> table + "." + column + " AS " + table + "_" + column)
        .collect(Collectors.joining(", "));
  }

  public Optional<HostedPack> find(OrgId org, PolicyId id) {
    var where = Where.of(org, "p.org").and("p.policy_id = :id", id.value());
    return storage.first(Sql.of(SELECT, where), HostedPacks::pack);
  }

  /** Returns the organization's packs after {@code after}, by id. */
  public List<HostedPack> list(OrgId org, Optional<String> after, int limit) {
    var where = Where.of(org, "p.org");
    after.ifPresent(id -> where.and("p.policy_id > :after", id));
    return storage
        .reads()
        .few(Sql.of(SELECT, where, "ORDER BY p.policy_id LIMIT :limit", limit), HostedPacks::pack);
  }

  /** Returns the number of the organization's packs. */
  public long count(OrgId org) {
    return storage.number(Sql.of("SELECT count(*) FROM organization_pack", Where.of(org, "org")));
  }

  /** Returns the number of the last change of any of the organization's packs. */
  long lastChange(OrgId org) {
    return storage.number(Sql.of(LAST_CHANGE, org));
  }

  /**
   * A pack and the sequence number of its last change within the organization.
   *
   * @param number greater for a later change
   */
  public record Changed(PolicyId id, long number) {}

  /**
   * Returns the organization's packs that changed last, the latest first.
   *
   * @param after returns only changes later than this one
   */
  public List<Changed> changedAfter(OrgId org, long after, int limit) {
    return storage
        .reads()
        .few(
            Sql.of(
                "SELECT policy_id, change_no FROM organization_pack",
                Where.of(org, "org").and("change_no > :after", after),
                "ORDER BY change_no DESC LIMIT :limit",
                limit),
            row -> new Changed(new PolicyId(row.getString(1)), row.getLong(2)));
  }

  /** Returns the pack's versions below {@code before}, newest first. */
  public List<PackVersion> versions(OrgId org, PolicyId id, int before, int limit) {
    return storage.list(
        Sql.of(
            "SELECT " + VERSION + " FROM pack_version",
            versionsOf(org, id).and("version < :before", before),
            "ORDER BY version DESC LIMIT :limit",
            limit),
        row -> version(row, ""));
  }

  public Optional<PackVersion> version(OrgId org, PolicyId id, int number) {
    return storage.first(
        Sql.of(
            "SELECT " + VERSION + " FROM pack_version",
            versionsOf(org, id).and("version = :version", number)),
        row -> version(row, ""));
  }

  /** Returns the document of a version as it was published. */
  public Optional<JsonObject> document(OrgId org, PolicyId id, int number) {
    return storage.first(
        Sql.of(
            "SELECT document FROM pack_version",
            versionsOf(org, id).and("version = :version", number)),
        row -> Rows.json(row, "document"));
  }

  /** Returns the document of the version with that digest. */
  public static Optional<JsonObject> published(Reads reads, OrgId org, String id, String digest) {
    return reads.first(
        "SELECT document FROM pack_version WHERE org = :org AND policy_id = :id AND digest = :digest",
        row -> Rows.json(row, "document"),
        org,
        id,
        digest);
  }

  private static Where versionsOf(OrgId org, PolicyId id) {
    return Where.of(org, "org").and("policy_id = :id", id.value());
  }

  /**
   * Inserts a pack with its first version.
   *
   * @return false if the organization already has a pack with that id; then nothing is written
   */
  public boolean create(
      OrgId org, PolicyId id, PackVersion first, JsonObject document, AuditRecord entry) {
    return storage.change(connection -> {
      Directory.demand(connection, org);
      if (Sql.of(
              "SELECT 1 FROM organization_pack WHERE org = :org AND policy_id = :policy",
              org,
              id.value())
          .exists(connection)) {
        return MutationResult.none(false);
      }
      insert(connection, org, id, first, document);
      Sql.of(INSERT_PACK, org, id.value(), nextChange(connection, org), first.createdAt())
          .update(connection);
      return MutationResult.of(true, entry, Change.packs(org.value()));
    });
  }

  /**
   * Adds a version if the pack is unchanged since it was read.
   *
   * @return false if it has changed; then nothing is written
   */
  public boolean add(HostedPack seen, PackVersion next, JsonObject document, AuditRecord entry) {
    return storage.change(connection -> {
      Sql add = Sql.of(ADD).set("latest", next.number());
      if (!touch(connection, add, seen.org(), seen.id(), seen.revision(), next.createdAt())) {
        return MutationResult.none(false);
      }
      insert(connection, seen.org(), seen.id(), next, document);
      return MutationResult.of(true, entry, Change.packs(seen.org().value()));
    });
  }

  /**
   * The result of a change of a pack; absent versions are not in use.
   *
   * @param deprecated the version to withdraw
   */
  public record Use(
      OptionalInt active,
      OptionalInt shadow,
      Optional<Instant> shadowSince,
      OptionalInt deprecated,
      Instant at) {}

  /**
   * Changes which versions are in use if no pack of the organization has changed.
   *
   * @param lastChange the organization's last change when the pack was read
   * @return false if one has changed; then nothing is written
   */
  public boolean use(HostedPack seen, Use use, long lastChange, AuditRecord entry) {
    return storage.change(connection -> {
      if (Sql.of(LAST_CHANGE, seen.org()).number(connection) != lastChange
          || !putInUse(connection, seen.org(), seen.id(), seen.revision(), use)) {
        return MutationResult.none(false);
      }
      return MutationResult.of(true, entry, Change.packs(seen.org().value()));
    });
  }

  /**
   * A change of a pack that is committed together with other changes.
   *
   * @param seen the pack as it was read; empty for a new one
   * @param next the version to add, with its document
   * @param use which versions are then in use
   * @param lastChange the organization's last change when its packs were read, if it must not have
   *     changed
   */
  record Together(
      OrgId org,
      PolicyId id,
      Optional<HostedPack> seen,
      Optional<PackVersion> next,
      JsonObject document,
      Optional<Use> use,
      OptionalLong lastChange,
      List<AuditRecord> entries) {
    Mutation<Boolean> write() {
      return this::apply;
    }

    private MutationResult<Boolean> apply(Connection connection) throws SQLException {
      Directory.demand(connection, org);
      if (lastChange.isPresent()
          && Sql.of(LAST_CHANGE, org).number(connection) != lastChange.getAsLong()) {
        return MutationResult.none(false);
      }
      long revision = seen.map(HostedPack::revision).orElse(1L);
      if (next.isPresent()) {
        PackVersion version = next.get();
        if (seen.isEmpty()) {
          // Other packs of the same transaction count.
          PublishPack.demandRoom(
              Sql.of("SELECT count(*) FROM organization_pack", Where.of(org, "org"))
                  .number(connection));
          Sql.of(INSERT_PACK, org, id.value(), nextChange(connection, org), version.createdAt())
              .update(connection);
        } else if (!touch(
            connection,
            Sql.of(ADD).set("latest", version.number()),
            org,
            id,
            revision++,
            version.createdAt())) {
          return MutationResult.none(false);
        }
        insert(connection, org, id, version, document);
      }
      if (use.isPresent() && !putInUse(connection, org, id, revision, use.get())) {
        return MutationResult.none(false);
      }
      return new MutationResult<>(true, entries, List.of(Change.packs(org.value())));
    }
  }

  private static boolean putInUse(
      Connection connection, OrgId org, PolicyId id, long revision, Use use) throws SQLException {
    Sql change =
        Sql.of(USE)
            .set("active", use.active())
            .set("shadow", use.shadow())
            .set("since", use.shadowSince());
    if (!touch(connection, change, org, id, revision, use.at())) {
      return false;
    }
    if (use.deprecated().isPresent()) {
      Sql.of(DEPRECATE, use.at(), org, id.value(), use.deprecated()).update(connection);
    }
    return true;
  }

  /** Changes the pack if it is unchanged since it was read; returns whether it did. */
  private static boolean touch(
      Connection connection, Sql change, OrgId org, PolicyId id, long seen, Instant at)
      throws SQLException {
    return change
            .set("change", nextChange(connection, org))
            .set("at", at)
            .set("org", org)
            .set("policy", id.value())
            .set("seen", seen)
            .update(connection)
        == 1;
  }

  /** Deletes all packs of an organization that is deleted; returns the subjects it outdates. */
  public static List<String> deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM organization_pack WHERE org = :org", org).update(connection);
    Sql.of("DELETE FROM pack_version WHERE org = :org", org).update(connection);
    Sql.of("DELETE FROM node_pack WHERE org = :org", org).update(connection);
    return List.of(Change.packs(org.value()));
  }

  /**
   * Returns the next change number. Writers are serialized, so no other writer gets the same
   * number.
   */
  private static long nextChange(Connection connection, OrgId org) throws SQLException {
    return Sql.of(LAST_CHANGE, org).number(connection) + 1;
  }

  private static void insert(
      Connection connection, OrgId org, PolicyId id, PackVersion version, JsonObject document)
      throws SQLException {
    Sql.of(INSERT_VERSION)
        .set("org", org)
        .set("policy_id", id.value())
        .set("version", version.number())
        .set("digest", version.digest())
        .set("name", version.name())
        .set("label", version.label())
        .set("created_at", version.createdAt())
        .set("created_by", version.createdBy())
        .set("deprecated_at", version.deprecatedAt())
        .set("document", document)
        .update(connection);
  }

  private static HostedPack pack(ResultSet row) throws SQLException {
    return new HostedPack(
        new OrgId(row.getString("org")),
        new PolicyId(row.getString("policy_id")),
        version(row, "l_"),
        found(row, "a_"),
        found(row, "s_"),
        Rows.optionalTime(row, "shadow_since"),
        row.getLong("revision"),
        Rows.time(row, "begun_at"),
        Rows.time(row, "changed_at"));
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
        Rows.time(row, prefix + "created_at"),
        row.getString(prefix + "created_by"),
        Rows.optionalTime(row, prefix + "deprecated_at"));
  }
}
