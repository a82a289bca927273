package dev.safeconduct.webhook.delivery;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
             response_ms = :response_ms, failure = :failure, updated_at = :updated_at
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
            .set("agent", delivery.event().agent())
            .set("event_id", delivery.event().id())
            .set("payload", delivery.event().payload())
            .set("created_at", delivery.createdAt())
            .update(connection);
      }
      Sql.of(FORGET, forgetBefore, FORGOTTEN_AT_ONCE).update(connection);
      return MutationResult.none(true);
    });
  }

  /** Stores the results of the deliveries in one transaction. */
  public void finish(List<Delivery> deliveries) {
    storage.change(connection -> {
      for (Delivery delivery : deliveries) {
        progress(FINISH, delivery).update(connection);
      }
      return MutationResult.none(true);
    });
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
   * @param abandonedBefore those begun before and never ended count as dead
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
   * @param abandonedBefore those begun before and never ended are among them
   */
  public List<Delivery> dead(
      Tenant tenant,
      String receiver,
      Instant abandonedBefore,
      Optional<String> afterId,
      int limit) {
    var where = in(of(tenant, receiver), Delivery.State.DEAD, abandonedBefore);
    afterId.ifPresent(after -> after(where, ">", receiver, after));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at, id LIMIT :limit", limit), Deliveries::read);
  }

  /** How many {@link #dead} has in all. */
  public long countDead(Tenant tenant, String receiver, Instant abandonedBefore) {
    var where = in(of(tenant, receiver), Delivery.State.DEAD, abandonedBefore);
    return storage.number(Sql.of("SELECT count(*) FROM webhook_delivery", where));
  }

  private static Where of(Tenant tenant, String receiver) {
    return Where.of(tenant, "org").and("receiver = :receiver", receiver);
  }

  private static Where in(Where where, Delivery.State state, Instant abandonedBefore) {
    return switch (state) {
      case DELIVERED -> where.and("state = 'delivered'");
      case SENDING -> where.and("state = 'sending' AND created_at >= :abandoned", abandonedBefore);
      case DEAD ->
          where.and(
              "(state = 'dead' OR (state = 'sending' AND created_at < :abandoned))",
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
        new StatusEvent(
            row.getString("event_id"),
            new AgentId(row.getString("agent")),
            Rows.json(row, "payload")),
        row.getString("url"),
        Rows.time(row, "created_at"),
        progress);
  }
}
