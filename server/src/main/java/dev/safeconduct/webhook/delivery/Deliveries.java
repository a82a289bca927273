package dev.safeconduct.webhook.delivery;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The stored deliveries, so that failed ones can be read and sent again. */
public final class Deliveries {
  private static final String COLUMNS =
      """
      id, receiver, org, agent, event_id, payload, url, state, attempts, response_status,
      response_ms, failure, created_at, updated_at
      """;

  private static final String SELECT = "SELECT " + COLUMNS + " FROM webhook_delivery";

  private static final String INSERT = Sql.insert("webhook_delivery", COLUMNS);

  private static final String FINISH =
      """
      UPDATE webhook_delivery
         SET url = :url, state = :state, attempts = :attempts, response_status = :response_status,
             response_ms = :response_ms, failure = :failure, updated_at = :updated_at,
             next_at = NULL
       WHERE id = :id
      """;

  private static final String FORGET =
      """
      DELETE FROM webhook_delivery
       WHERE id IN (SELECT id FROM webhook_delivery
                     WHERE created_at < :before
                     ORDER BY created_at
                     LIMIT :limit)
      """;

  /** Old ones deleted at a time: the writer must not be held up. */
  private static final int FORGOTTEN_AT_ONCE = 100;

  private final Storage storage;

  public Deliveries(Storage storage) {
    this.storage = storage;
  }

  /**
   * Adds deliveries that are about to be made, in one transaction, and forgets some of those that
   * are older than {@code forgetBefore}: more than it adds, so that in time all of them go.
   */
  public void begin(List<Delivery> deliveries, Instant forgetBefore) {
    storage.change(connection -> {
      for (Delivery delivery : deliveries) {
        progress(INSERT, delivery)
            .set("receiver", delivery.receiver())
            .set("org", delivery.owner())
            .set("agent", delivery.event().agent().orElse(""))
            .set("event_id", delivery.event().id())
            .set("payload", delivery.event().payload())
            .set("created_at", delivery.createdAt())
            .update(connection);
      }
      Sql.of(FORGET, forgetBefore, FORGOTTEN_AT_ONCE).update(connection);
      return MutationResult.none(true);
    });
  }

  /** Deletes all deliveries of an organization that is deleted, with their payloads. */
  public static void deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM webhook_delivery WHERE org = :org", org).update(connection);
  }

  /** Stores the result of a delivery. */
  public void finish(Delivery delivery) {
    storage.update(progress(FINISH, delivery));
  }

  private static Sql progress(String statement, Delivery delivery) {
    Delivery.Progress progress = delivery.progress();
    return Sql.of(statement)
        .set("id", delivery.id())
        .set("url", delivery.url())
        .set("state", progress.state().wire())
        .set("attempts", progress.attempts())
        .set("response_status", progress.responseStatus())
        .set("response_ms", progress.responseTime())
        .set("failure", progress.failure())
        .set("updated_at", progress.at());
  }

  /** A delivery of the tenant's; the operator's receiver has no tenant but everyone. */
  public Optional<Delivery> find(Tenant tenant, String id) {
    return storage.first(
        Sql.of(SELECT, Where.of(tenant, "org").and("id = :id", id)), Deliveries::read);
  }

  /**
   * A receiver's deliveries, newest first, from the place after {@code afterId}.
   *
   * @param abandonedBefore those last changed before and never ended count as dead
   */
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
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at DESC, id DESC LIMIT :limit", limit),
        Deliveries::read);
  }

  /**
   * A receiver's dead letters, oldest first, from the place after {@code afterId}.
   *
   * @param abandonedBefore those last changed before and never ended are among them
   * @param since those begun before are not among them
   */
  public List<Delivery> dead(
      Tenant tenant,
      String receiver,
      Instant abandonedBefore,
      Instant since,
      Optional<String> afterId,
      int limit) {
    var where =
        in(of(tenant, receiver), Delivery.State.DEAD, abandonedBefore)
            .and("created_at >= :since", since);
    afterId.ifPresent(after -> after(where, ">", receiver, after));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at, id LIMIT :limit", limit), Deliveries::read);
  }

  /** How many {@link #dead} has in all. */
  public long countDead(Tenant tenant, String receiver, Instant abandonedBefore, Instant since) {
    var where =
        in(of(tenant, receiver), Delivery.State.DEAD, abandonedBefore)
            .and("created_at >= :since", since);
    return storage.number(Sql.of("SELECT count(*) FROM webhook_delivery", where));
  }

  /** Returns webhooks with a delivery that is due, the longest waiting first, and their owners. */
  public Map<String, OrgId> due(Instant now, int limit) {
    var due = new LinkedHashMap<String, OrgId>();
    storage
        .reads()
        .few(
            Sql.of(
                """
                SELECT receiver, org, min(next_at) AS since FROM webhook_delivery
                 WHERE next_at IS NOT NULL AND next_at <= :now
                 GROUP BY receiver, org
                 ORDER BY since
                 LIMIT :limit
                """,
                now,
                limit),
            row -> due.put(row.getString("receiver"), new OrgId(row.getString("org"))));
    return due;
  }

  /** Returns the webhook's delivery that has been due for the longest time. */
  public Optional<Delivery> due(OrgId org, String receiver, Instant now) {
    var where =
        Where.of(org, "org").and("receiver = :receiver", receiver).and("next_at <= :now", now);
    return storage.first(Sql.of(SELECT, where, "ORDER BY next_at, id LIMIT 1"), Deliveries::read);
  }

  /**
   * Claims a due delivery for one try: no node tries it again before {@code until}.
   *
   * @return false when another node or thread has claimed it
   */
  public boolean take(Delivery delivery, Instant now, Instant until) {
    return storage.update(
            Sql.of(
                "UPDATE webhook_delivery SET next_at = :until WHERE id = :id AND next_at <= :now",
                until,
                delivery.id(),
                now))
        == 1;
  }

  /**
   * Claims a delivery to send it again.
   *
   * @return false when it has changed since it was read: it is being sent
   */
  public boolean claim(Delivery delivery, Instant now) {
    return storage.update(
            Sql.of(
                """
                UPDATE webhook_delivery SET state = 'sending', updated_at = :now
                 WHERE id = :id AND state = :state AND updated_at = :read
                """,
                now,
                delivery.id(),
                delivery.progress().state().wire(),
                delivery.progress().at()))
        == 1;
  }

  /** Stores a failed try of a delivery that is tried again at that time. */
  public void retry(Delivery delivery, Instant nextAt) {
    storage.change(connection -> {
      progress(FINISH, delivery).update(connection);
      Sql.of("UPDATE webhook_delivery SET next_at = :next WHERE id = :id", nextAt, delivery.id())
          .update(connection);
      return MutationResult.none(true);
    });
  }

  /** Deletes a delivery whose webhook is gone. */
  public void drop(Delivery delivery) {
    storage.update(Sql.of("DELETE FROM webhook_delivery WHERE id = :id", delivery.id()));
  }

  /** Forgets the deliveries that are older, some in each transaction. */
  public void forget(Instant before) {
    int forgotten;
    do {
      forgotten = storage.update(Sql.of(FORGET, before, FORGOTTEN_AT_ONCE));
    } while (forgotten == FORGOTTEN_AT_ONCE);
  }

  private static Where of(Tenant tenant, String receiver) {
    return Where.of(tenant, "org").and("receiver = :receiver", receiver);
  }

  private static Where in(Where where, Delivery.State state, Instant abandonedBefore) {
    return switch (state) {
      case DELIVERED -> where.and("state = 'delivered'");
      case WAITING -> where.and("state = 'waiting'");
      case SENDING -> where.and("state = 'sending' AND updated_at >= :abandoned", abandonedBefore);
      case DEAD ->
          where.and(
              "(state = 'dead' OR (state = 'sending' AND updated_at < :abandoned))",
              abandonedBefore);
    };
  }

  private static void after(Where where, String order, String receiver, String id) {
    where.and(
        "(created_at, id) "
            + order
            + " (SELECT created_at, id FROM webhook_delivery WHERE id = :after AND receiver = :of)",
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
            Rows.number(row, "response_status").map(Long::intValue),
            Rows.number(row, "response_ms").map(Duration::ofMillis),
            Rows.text(row, "failure"),
            Rows.time(row, "updated_at"));
    return new Delivery(
        row.getString("id"),
        row.getString("receiver"),
        Rows.text(row, "org").map(OrgId::new),
        new WebhookEvent(row.getString("event_id"), Rows.json(row, "payload")),
        row.getString("url"),
        Rows.time(row, "created_at"),
        progress);
  }
}
