package dev.safeconduct.webhook;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.db.PeriodicTask;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Event;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.Events;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for what no single request tells: many denials of an agent, limits that are nearly used up,
 * and keys that expire soon. Every node looks; an event is published once.
 */
public final class EventWatch {
  /** How long before its end a key is told of. */
  static final Duration KEY_NOTICE = Duration.ofDays(7);

  private static final Duration SPIKE = Duration.ofMinutes(10);
  private static final Logger LOG = LoggerFactory.getLogger(EventWatch.class);
  private static final Duration EVERY = Duration.ofSeconds(10);

  /** Of one organization, at once. */
  private static final int MOST_AGENTS = 200;

  /** Of one organization, at once: the soonest to expire. */
  private static final int MOST_KEYS = 1_000;

  private final Events events;
  private final NearLimits limits;
  private final DecisionCounts counts;
  private final ApiKeys keys;
  private final int denySpike;
  private final Runnable further;
  private final InstantSource clock;
  private final PeriodicTask task =
      new PeriodicTask(LOG, "event-watch", EVERY, this::step, 0, "events cannot be looked for now");

  /**
   * @param denySpike {@code EVENT_DENY_SPIKE}; 0 for no such event
   * @param further what else to look for each time
   */
  public EventWatch(
      Events events,
      NearLimits limits,
      DecisionCounts counts,
      ApiKeys keys,
      int denySpike,
      Runnable further,
      InstantSource clock) {
    this.events = events;
    this.limits = limits;
    this.counts = counts;
    this.keys = keys;
    this.denySpike = denySpike;
    this.further = further;
    this.clock = clock;
  }

  public void start() {
    task.start();
  }

  private boolean step() {
    look();
    return true;
  }

  /** Looks once. */
  public void look() {
    Instant now = clock.instant();
    limits.publish(now);
    further.run();
    if (denySpike > 0) {
      events.subscribers(EventType.DENY_SPIKE).forEach(org -> spikes(org, now));
    }
    events.subscribers(EventType.KEY_EXPIRING).forEach(org -> expiringKeys(org, now));
  }

  /** Counts are a few seconds late: the minute before is looked at too. */
  private void spikes(OrgId org, Instant now) {
    DecisionCounts.Kind kind = DecisionCounts.Kind.DENIALS;
    for (long bucket :
        LongStream.of(now.toEpochMilli(), now.minusSeconds(60).toEpochMilli())
            .map(kind::lately)
            .distinct()
            .toArray()) {
      for (DecisionCounts.Named agent : counts.top(org, kind, bucket, true, MOST_AGENTS)) {
        // The passport of a request may have any text as its id, also one that changes the link.
        if (agent.counts().denied() >= denySpike && AgentId.hosted(agent.name()).isPresent()) {
          events.publishOnce(
              "denials:" + org + ":" + agent.name(), now.plus(SPIKE), spike(org, agent));
        }
      }
    }
  }

  private Event spike(OrgId org, DecisionCounts.Named agent) {
    return new Event(
        EventType.DENY_SPIKE,
        org,
        Optional.of(new AgentId(agent.name())),
        "/console/passports/" + agent.name(),
        JsonObject.builder()
            .put("denials", agent.counts().denied())
            .put("threshold", denySpike)
            .build());
  }

  private void expiringKeys(OrgId org, Instant now) {
    for (ApiKey key : keys.expiring(org, now, now.plus(KEY_NOTICE), MOST_KEYS)) {
      Instant end = key.expiresAt().orElseThrow();
      events.publishOnce(
          "key:" + key.id() + ":" + end.toEpochMilli(),
          end,
          new Event(
              EventType.KEY_EXPIRING,
              org,
              key.boundTo(),
              "/console/keys",
              JsonObject.builder()
                  .put("key_id", key.id())
                  .put("name", key.name())
                  .put("expires_at", IsoInstant.millis(end))
                  .build()));
    }
  }

  public void close() {
    task.close();
  }
}
