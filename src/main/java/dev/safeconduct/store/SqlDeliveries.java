package dev.safeconduct.store;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.webhook.Deliveries;
import dev.safeconduct.webhook.Delivery;
import dev.safeconduct.webhook.StatusEvent;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Deliveries as rows. */
record SqlDeliveries(Writer writer, Reads reads) implements Deliveries {
  private static final String COLUMNS =
      "id, receiver, org, agent, event_id, payload, url, state, attempts, response_status,"
          + " response_ms, failure, created_at, updated_at";
  private static final String SELECT = "SELECT " + COLUMNS + " FROM webhook_delivery";

  /** Old ones deleted at a time: the writer must not be held up. */
  private static final int FORGOTTEN_AT_ONCE = 100;

  @Override
  public void begin(List<Delivery> deliveries, Instant forgetBefore) {
    writer.change(connection -> {
      for (Delivery delivery : deliveries) {
        insert(connection, delivery);
      }
      Sql.update(
          connection,
          "DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery"
              + " WHERE created_at < ? ORDER BY created_at LIMIT ?)",
          forgetBefore.toEpochMilli(),
          FORGOTTEN_AT_ONCE);
      return Effect.none(true);
    });
  }

  private static void insert(Connection connection, Delivery delivery) throws SQLException {
    Delivery.Progress progress = delivery.progress();
    Sql.update(
        connection,
        "INSERT INTO webhook_delivery ("
            + COLUMNS
            + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        delivery.id(),
        delivery.receiver(),
        delivery.owner().map(OrgId::value).orElse(null),
        delivery.event().agent().value(),
        delivery.event().id(),
        Json.text(delivery.event().payload()),
        delivery.url(),
        progress.state().wire(),
        progress.attempts(),
        progress.responseStatus().orElse(null),
        progress.responseTime().map(Duration::toMillis).orElse(null),
        progress.failure().orElse(null),
        delivery.createdAt().toEpochMilli(),
        progress.at().toEpochMilli());
  }

  @Override
  public void finish(List<Delivery> deliveries) {
    writer.change(connection -> {
      for (Delivery delivery : deliveries) {
        Delivery.Progress progress = delivery.progress();
        Sql.update(
            connection,
            "UPDATE webhook_delivery SET url = ?, state = ?, attempts = ?,"
                + " response_status = ?, response_ms = ?, failure = ?, updated_at = ?"
                + " WHERE id = ?",
            delivery.url(),
            progress.state().wire(),
            progress.attempts(),
            progress.responseStatus().orElse(null),
            progress.responseTime().map(Duration::toMillis).orElse(null),
            progress.failure().orElse(null),
            progress.at().toEpochMilli(),
            delivery.id());
      }
      return Effect.none(true);
    });
  }

  @Override
  public Optional<Delivery> find(Tenant tenant, String id) {
    var where = Where.of(tenant, "org").and("id = ?", id);
    return reads.list(SELECT + where.sql(), SqlDeliveries::read, where.parameters()).stream()
        .findFirst();
  }

  @Override
  public List<Delivery> list(
      Tenant tenant,
      String receiver,
      Optional<Delivery.State> state,
      Instant abandonedBefore,
      Optional<String> afterId,
      int limit) {
    var where = of(tenant, receiver);
    state.ifPresent(wanted -> in(where, wanted, abandonedBefore));
    afterId.ifPresent(after -> after(where, "<", receiver, after));
    return reads.list(
        SELECT + where.sql() + " ORDER BY created_at DESC, id DESC LIMIT ?",
        SqlDeliveries::read,
        where.parameters(limit));
  }

  @Override
  public List<Delivery> dead(
      Tenant tenant,
      String receiver,
      Instant abandonedBefore,
      Optional<String> afterId,
      int limit) {
    var where = in(of(tenant, receiver), Delivery.State.DEAD, abandonedBefore);
    afterId.ifPresent(after -> after(where, ">", receiver, after));
    return reads.list(
        SELECT + where.sql() + " ORDER BY created_at, id LIMIT ?",
        SqlDeliveries::read,
        where.parameters(limit));
  }

  @Override
  public long countDead(Tenant tenant, String receiver, Instant abandonedBefore) {
    var where = in(of(tenant, receiver), Delivery.State.DEAD, abandonedBefore);
    return reads
        .list(
            "SELECT count(*) FROM webhook_delivery" + where.sql(),
            row -> row.getLong(1),
            where.parameters())
        .getFirst();
  }

  private static Where of(Tenant tenant, String receiver) {
    return Where.of(tenant, "org").and("receiver = ?", receiver);
  }

  private static Where in(Where where, Delivery.State state, Instant abandonedBefore) {
    long before = abandonedBefore.toEpochMilli();
    return switch (state) {
      case DELIVERED -> where.and("state = 'delivered'");
      case SENDING -> where.and("state = 'sending' AND created_at >= ?", before);
      case DEAD -> where.and("(state = 'dead' OR (state = 'sending' AND created_at < ?))", before);
    };
  }

  private static void after(Where where, String order, String receiver, String id) {
    where.and(
        "(created_at, id) "
            + order
            + " (SELECT created_at, id FROM webhook_delivery WHERE id = ? AND receiver = ?)",
        id,
        receiver);
  }

  private static Delivery read(ResultSet row) throws SQLException {
    String state = row.getString("state");
    var progress =
        new Delivery.Progress(
            Delivery.State.parse(state)
                .orElseThrow(() -> new SQLException("no such state: " + state)),
            row.getInt("attempts"),
            Sql.whole(row, "response_status").map(Long::intValue),
            Sql.whole(row, "response_ms").map(Duration::ofMillis),
            Optional.ofNullable(row.getString("failure")),
            Instant.ofEpochMilli(row.getLong("updated_at")));
    return new Delivery(
        row.getString("id"),
        row.getString("receiver"),
        Optional.ofNullable(row.getString("org")).map(OrgId::new),
        new StatusEvent(
            row.getString("event_id"),
            new AgentId(row.getString("agent")),
            payload(row.getString("payload"))),
        row.getString("url"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        progress);
  }

  private static JsonObject payload(String text) throws SQLException {
    try {
      return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new SQLException("a stored delivery cannot be read", e);
    }
  }
}
