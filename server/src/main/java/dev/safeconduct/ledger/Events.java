package dev.safeconduct.ledger;

import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes events: writes a delivery for each webhook that subscribes to them. The webhook package
 * delivers those rows. Nothing is written for an organization without a subscription.
 */
public final class Events {
  /**
   * The deliveries of one webhook that may wait at once; further events are dropped. An endpoint
   * that is down for a day costs the other webhooks nothing.
   */
  public static final int MOST_WAITING = 250;

  /** The deliveries of one organization that may wait at once, of all its webhooks. */
  private static final int MOST_OF_ORGANIZATION = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(Events.class);

  private static final String SUBSCRIBED =
      """
      SELECT id, url, events FROM webhook
       WHERE org = :org AND active = 1 AND coalesce(agent, '') IN ('', :agent)
       ORDER BY created_at, id
      """;

  private static final String WAITING =
      """
      SELECT receiver, count(*) AS waiting FROM webhook_delivery
       WHERE org = :org AND next_at IS NOT NULL GROUP BY receiver
      """;

  private static final String INSERT =
      Sql.insert(
          "webhook_delivery",
          """
          id, receiver, org, agent, event_id, payload, url, state, attempts, created_at, updated_at,
          next_at
          """);

  /** Takes the name, or takes it again when its time is over. */
  private static final String ONCE =
      """
      INSERT INTO event_once (name, until) VALUES (:name, :until)
          ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE event_once.until <= :now
      """;

  private final Storage storage;
  private final Recorder recorder;
  private final String baseUrl;

  /** {@code baseUrl}: the address of the console, for links to its pages. */
  public Events(Storage storage, Recorder recorder, String baseUrl) {
    this.storage = storage;
    this.recorder = recorder;
    this.baseUrl = baseUrl;
  }

  private record Subscriber(String id, String url, String events) {
    boolean wants(EventType type) {
      // Names are quoted in JSON, and a quote inside a name is escaped.
      return events.contains("\"" + type.wire() + "\"");
    }
  }

  /** Publishes the event in a transaction of its own. */
  public void publish(Event event) {
    storage.change(connection -> {
      insert(connection, event);
      return MutationResult.none(true);
    });
  }

  /** Publishes the event in the transaction of what it tells. */
  public void insert(Connection connection, Event event) throws SQLException {
    String agent = event.agent().map(AgentId::value).orElse("");
    List<Subscriber> subscribers =
        Sql.of(SUBSCRIBED, event.org(), agent)
            .list(
                connection,
                row ->
                    new Subscriber(
                        row.getString("id"), row.getString("url"), row.getString("events")));
    subscribers = subscribers.stream().filter(each -> each.wants(event.type())).toList();
    if (subscribers.isEmpty()) {
      return;
    }
    Map<String, Long> waiting = waiting(connection, event.org());
    long all = waiting.values().stream().mapToLong(Long::longValue).sum();
    Instant now = recorder.now();
    String id = "msg_" + recorder.nextHex();
    JsonObject payload = payload(event, now);
    for (Subscriber subscriber : subscribers) {
      if (waiting.getOrDefault(subscriber.id(), 0L) >= MOST_WAITING
          || all >= MOST_OF_ORGANIZATION) {
        LOG.warn(
            "{} of {} is not delivered to {}: too many deliveries wait already",
            event.type().wire(),
            event.org(),
            subscriber.id());
        continue;
      }
      all++;
      Sql.of(INSERT)
          .set("id", "dlv_" + recorder.nextHex())
          .set("receiver", subscriber.id())
          .set("org", event.org())
          .set("agent", agent)
          .set("event_id", id)
          .set("payload", payload)
          .set("url", subscriber.url())
          .set("state", "waiting")
          .set("attempts", 0)
          .set("created_at", now)
          .set("updated_at", now)
          .set("next_at", now)
          .update(connection);
    }
  }

  private static Map<String, Long> waiting(Connection connection, OrgId org) throws SQLException {
    var waiting = new HashMap<String, Long>();
    Sql.of(WAITING, org)
        .list(connection, row -> waiting.put(row.getString("receiver"), row.getLong("waiting")));
    return waiting;
  }

  /** Returns the payload that receivers of the format {@code json} get. */
  public JsonObject payload(Event event, Instant now) {
    return JsonObject.builder()
        .put("event_type", event.type().wire())
        .put("timestamp", IsoInstant.millis(now))
        .put("org_id", event.org().value())
        .putIfPresent("agent_id", event.agent().map(AgentId::value))
        .putAll(event.data())
        .put("url", baseUrl + event.page())
        .build();
  }

  /**
   * Publishes the event unless one of that name was published and its time is not over, by
   * whichever node.
   *
   * @param until when an event of that name may be published again
   * @return whether it was published
   */
  public boolean publishOnce(String name, Instant until, Event event) {
    Instant now = recorder.now();
    if (storage.number(
            Sql.of(
                "SELECT count(*) FROM event_once WHERE name = :name AND until > :now", name, now))
        > 0) {
      return false;
    }
    return storage.change(connection -> {
      boolean first =
          Sql.of(ONCE).set("name", name).set("until", until).set("now", now).update(connection)
              == 1;
      if (first) {
        insert(connection, event);
      }
      return MutationResult.none(first);
    });
  }

  /** Returns the organizations with an active webhook that subscribes to the type. */
  public Set<OrgId> subscribers(EventType type) {
    var orgs = new HashSet<OrgId>();
    storage
        .reads()
        .few(
            Sql.of("SELECT org, events FROM webhook WHERE active = 1"),
            row ->
                new Subscriber("", "", row.getString("events")).wants(type)
                    && orgs.add(new OrgId(row.getString("org"))));
    return orgs;
  }

  /** Deletes names whose time is over. */
  public static void sweep(Connection connection, long horizonMs) throws SQLException {
    Sql.of("DELETE FROM event_once WHERE until <= :horizon", horizonMs).update(connection);
  }
}
