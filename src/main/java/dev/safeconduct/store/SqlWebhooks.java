package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.webhook.ReceiverUrl;
import dev.safeconduct.webhook.Webhook;
import dev.safeconduct.webhook.Webhooks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Webhooks as rows. */
record SqlWebhooks(Writer writer, Reads reads) implements Webhooks {
  private static final String COLUMNS =
      "id, org, url, agent, events, active, retries, delay_ms, timeout_ms, secrets,"
          + " overlap_ends_at, revision, created_at, updated_at";
  private static final String INSERT =
      "INSERT INTO webhook (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String SELECT = "SELECT " + COLUMNS + " FROM webhook";

  @Override
  public Optional<Webhook> find(Tenant tenant, String id) {
    var where = Where.of(tenant, "org").and("id = ?", id);
    return reads.list(SELECT + where.sql(), SqlWebhooks::read, where.parameters()).stream()
        .findFirst();
  }

  @Override
  public List<Webhook> list(OrgId org, Filter filter, Optional<String> afterId, int limit) {
    var where = Where.of(new Tenant.One(org), "org");
    filter.agent().ifPresent(agent -> where.and("agent = ?", agent.value()));
    if (filter.wholeOrganization()) {
      where.and("agent IS NULL");
    }
    afterId.ifPresent(after ->
        where.and(
            "(created_at, id) < (SELECT created_at, id FROM webhook WHERE id = ? AND org = ?)",
            after,
            org.value()));
    return reads.list(
        SELECT + where.sql() + " ORDER BY created_at DESC, id DESC LIMIT ?",
        SqlWebhooks::read,
        where.parameters(limit));
  }

  @Override
  public List<Webhook> wanting(OrgId org, AgentId agent) {
    var where =
        Where.of(new Tenant.One(org), "org")
            .and("active = 1 AND coalesce(agent, '') IN ('', ?)", agent.value());
    return reads.list(
        SELECT + where.sql() + " ORDER BY created_at, id", SqlWebhooks::read, where.parameters());
  }

  @Override
  public void create(Webhook webhook, AuditRecord entry) {
    writer.change(connection -> {
      refuseTooMany(connection, webhook);
      Sql.update(connection, INSERT, values(webhook));
      return Effect.of(true, entry);
    });
  }

  @Override
  public boolean replace(Webhook webhook, long expectedRevision, AuditRecord entry) {
    String id = webhook.id();
    String org = webhook.org().value();
    return writer.change(connection -> {
      if (Sql.update(
              connection,
              "DELETE FROM webhook WHERE id = ? AND org = ? AND revision = ?",
              id,
              org,
              expectedRevision)
          == 0) {
        return Effect.none(false);
      }
      refuseTooMany(connection, webhook);
      Sql.update(connection, INSERT, values(webhook));
      return Effect.of(true, entry);
    });
  }

  @Override
  public boolean delete(OrgId org, String id, AuditRecord entry) {
    return writer.change(connection ->
        Sql.update(connection, "DELETE FROM webhook WHERE id = ? AND org = ?", id, org.value()) == 1
            ? Effect.of(true, entry)
            : Effect.none(false));
  }

  private static void refuseTooMany(Connection connection, Webhook webhook) throws SQLException {
    if (Sql.exists(
        connection,
        "SELECT 1 FROM webhook WHERE org = ? AND coalesce(agent, '') = ? LIMIT 1 OFFSET ?",
        webhook.org().value(),
        webhook.agent().map(AgentId::value).orElse(""),
        Webhook.MOST_PER_TARGET - 1)) {
      throw new Problem.Conflict(
              "There are "
                  + Webhook.MOST_PER_TARGET
                  + " webhooks for this target already; delete one first.",
              "too_many_webhooks")
          .toException();
    }
  }

  private static @Nullable Object[] values(Webhook webhook) {
    return new @Nullable Object[] {
      webhook.id(),
      webhook.org().value(),
      webhook.url().text(),
      webhook.agent().map(AgentId::value).orElse(null),
      Json.text(JsonArray.ofStrings(webhook.events())),
      webhook.active() ? 1 : 0,
      webhook.retries().orElse(null),
      webhook.delay().map(Duration::toMillis).orElse(null),
      webhook.timeout().map(Duration::toMillis).orElse(null),
      webhook.sealedSecrets(),
      Sql.millis(webhook.overlapEndsAt()),
      webhook.revision(),
      webhook.createdAt().toEpochMilli(),
      webhook.updatedAt().toEpochMilli()
    };
  }

  private static Webhook read(ResultSet row) throws SQLException {
    return new Webhook(
        row.getString("id"),
        new OrgId(row.getString("org")),
        ReceiverUrl.parse(row.getString("url"))
            .orElseThrow(() -> new SQLException("a stored webhook has no URL")),
        Optional.ofNullable(row.getString("agent")).map(AgentId::new),
        events(row.getString("events")),
        row.getInt("active") != 0,
        Sql.whole(row, "retries").map(Long::intValue),
        Sql.whole(row, "delay_ms").map(Duration::ofMillis),
        Sql.whole(row, "timeout_ms").map(Duration::ofMillis),
        row.getBytes("secrets"),
        Sql.instant(row, "overlap_ends_at"),
        row.getLong("revision"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        Instant.ofEpochMilli(row.getLong("updated_at")));
  }

  private static List<String> events(String text) throws SQLException {
    try {
      return ((JsonArray) Json.parse(text)).texts();
    } catch (JsonFault e) {
      throw new SQLException("a stored webhook cannot be read", e);
    }
  }
}
