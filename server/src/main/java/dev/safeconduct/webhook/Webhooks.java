package dev.safeconduct.webhook;

import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The registered webhooks. Each change is one transaction with its record. */
public final class Webhooks {
  private static final String COLUMNS =
      """
      id, org, url, agent, events, format, active, retries, delay_ms, timeout_ms, secrets,
      overlap_ends_at, revision, created_at, updated_at
      """;

  private static final String SELECT = "SELECT " + COLUMNS + " FROM webhook";

  private static final String INSERT = Sql.insert("webhook", COLUMNS);

  private static final String OF_TARGET =
      "SELECT count(*) FROM webhook WHERE org = :org AND coalesce(agent, '') = :agent";

  private final Storage storage;

  public Webhooks(Storage storage) {
    this.storage = storage;
  }

  /**
   * Narrows a list.
   *
   * @param agent only those narrowed to this agent
   * @param wholeOrganization only those not narrowed to any
   */
  public record Filter(Optional<AgentId> agent, boolean wholeOrganization) {
    public static final Filter ALL = new Filter(Optional.empty(), false);
  }

  public Optional<Webhook> find(Tenant tenant, String id) {
    return storage.first(
        Sql.of(SELECT, Where.of(tenant, "org").and("id = :id", id)), Webhooks::read);
  }

  /** The organization's webhooks, newest first, from the place after {@code afterId}. */
  public List<Webhook> list(OrgId org, Filter filter, Optional<String> afterId, int limit) {
    var where = Where.of(org, "org");
    filter.agent().ifPresent(agent -> where.and("agent = :agent", agent));
    if (filter.wholeOrganization()) {
      where.and("agent IS NULL");
    }
    afterId.ifPresent(after ->
        where.and(
            """
            (created_at, id) <
            (SELECT created_at, id FROM webhook WHERE id = :after AND org = :tenant)
            """,
            after));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at DESC, id DESC LIMIT :limit", limit),
        Webhooks::read);
  }

  /** Returns the webhooks for the agent, at most twice {@link Webhook#MOST_PER_TARGET}. */
  public List<Webhook> wanting(OrgId org, AgentId agent) {
    var where =
        Where.of(org, "org").and("active = 1 AND coalesce(agent, '') IN ('', :agent)", agent);
    return storage.reads().few(Sql.of(SELECT, where, "ORDER BY created_at, id"), Webhooks::read);
  }

  /**
   * Adds it.
   *
   * @throws dev.safeconduct.error.ProblemException 409 when its target has {@link
   *     Webhook#MOST_PER_TARGET} already
   */
  public void create(Webhook webhook, AuditRecord entry) {
    storage.change(creating(webhook, entry));
  }

  /** Returns the insertion, to commit it together with other changes. */
  static Mutation<Boolean> creating(Webhook webhook, AuditRecord entry) {
    return connection -> {
      Directory.demand(connection, webhook.org());
      insert(connection, webhook);
      return MutationResult.of(true, entry);
    };
  }

  /**
   * Replaces the row of that revision; false when it has another one by now, or is gone.
   *
   * @throws dev.safeconduct.error.ProblemException as {@link #create}
   */
  public boolean replace(Webhook webhook, long expectedRevision, AuditRecord entry) {
    return storage.change(replacing(webhook, expectedRevision, entry));
  }

  /** Returns the replacement, to commit it together with other changes. */
  static Mutation<Boolean> replacing(Webhook webhook, long expectedRevision, AuditRecord entry) {
    return connection -> {
      boolean found = remove(connection, webhook, expectedRevision);
      if (found) {
        insert(connection, webhook);
      }
      return MutationResult.when(found, entry);
    };
  }

  /** Returns the deletion of that revision, to commit it together with other changes. */
  static Mutation<Boolean> deleting(Webhook webhook, AuditRecord entry) {
    return connection ->
        MutationResult.when(remove(connection, webhook, webhook.revision()), entry);
  }

  private static boolean remove(Connection connection, Webhook webhook, long revision)
      throws SQLException {
    return Sql.of(
                "DELETE FROM webhook WHERE id = :id AND org = :org AND revision = :revision",
                webhook.id(),
                webhook.org(),
                revision)
            .update(connection)
        == 1;
  }

  /** Returns all of the organization's webhooks, oldest first. */
  List<Webhook> all(OrgId org) {
    return storage.list(
        Sql.of(SELECT, Where.of(org, "org"), "ORDER BY created_at, id"), Webhooks::read);
  }

  /** Returns the number of the organization's webhooks. */
  long count(OrgId org) {
    return storage.number(Sql.of("SELECT count(*) FROM webhook", Where.of(org, "org")));
  }

  /** Deletes it; false when it is gone already. Its deliveries are forgotten in their time. */
  public boolean delete(OrgId org, String id, AuditRecord entry) {
    return storage.update(
        Sql.of("DELETE FROM webhook WHERE id = :id AND org = :org", id, org), entry);
  }

  /** Deletes all webhooks of an organization that is deleted, with what was sent to them. */
  public static List<String> deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM webhook WHERE org = :org", org).update(connection);
    Deliveries.deleteAll(connection, org);
    return List.of();
  }

  private static void insert(Connection connection, Webhook webhook) throws SQLException {
    String agent = webhook.agent().map(AgentId::value).orElse("");
    webhook.demandRoom(Sql.of(OF_TARGET, webhook.org(), agent).number(connection));
    Sql.of(INSERT)
        .set("id", webhook.id())
        .set("org", webhook.org())
        .set("url", webhook.url().text())
        .set("agent", webhook.agent())
        .set("events", JsonArray.ofStrings(webhook.events()))
        .set("format", webhook.format().wire())
        .set("active", webhook.active())
        .set("retries", webhook.retries())
        .set("delay_ms", webhook.delay())
        .set("timeout_ms", webhook.timeout())
        .set("secrets", webhook.sealedSecrets())
        .set("overlap_ends_at", webhook.overlapEndsAt())
        .set("revision", webhook.revision())
        .set("created_at", webhook.createdAt())
        .set("updated_at", webhook.updatedAt())
        .update(connection);
  }

  private static Webhook read(ResultSet row) throws SQLException {
    return new Webhook(
        row.getString("id"),
        new OrgId(row.getString("org")),
        ReceiverUrl.parse(row.getString("url"))
            .orElseThrow(() -> new SQLException("a stored webhook has no URL")),
        Rows.text(row, "agent").map(AgentId::new),
        events(row.getString("events")),
        Format.parse(row.getString("format"))
            .orElseThrow(() -> new SQLException("a stored webhook has no format")),
        row.getInt("active") != 0,
        Rows.number(row, "retries").map(Long::intValue),
        Rows.number(row, "delay_ms").map(Duration::ofMillis),
        Rows.number(row, "timeout_ms").map(Duration::ofMillis),
        row.getBytes("secrets"),
        Rows.optionalTime(row, "overlap_ends_at"),
        row.getLong("revision"),
        Rows.time(row, "created_at"),
        Rows.time(row, "updated_at"));
  }

  private static List<String> events(String text) throws SQLException {
    try {
      return ((JsonArray) Json.parse(text)).texts();
    } catch (JsonFault e) {
      throw new SQLException("a stored webhook cannot be read", e);
    }
  }
}
