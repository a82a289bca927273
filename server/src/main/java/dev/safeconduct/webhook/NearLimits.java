package dev.safeconduct.webhook;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.CounterPrecondition;
import dev.safeconduct.ledger.Event;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.verify.DecisionListener;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells when a counted limit has reached 80 % or 100 %. A decision only notes which counters it
 * charged, and only for organizations that subscribe; the sums are read later, on a thread of the
 * webhooks.
 */
public final class NearLimits implements DecisionListener {
  private static final int[] LEVELS = {100, 80};

  /** The counters noted at once; beyond them a counter waits for its next charge. */
  private static final int MOST = 10_000;

  /** A cap above this counts as unlimited: the rule charges for a cap that may be set later. */
  private static final long UNCAPPED = 1L << 62;

  private static final Instant FAR = Instant.parse("9999-01-01T00:00:00Z");

  private final Events events;
  private final Ledger ledger;
  private final Map<CounterKey, Charged> charged = new ConcurrentHashMap<>();
  private volatile Set<OrgId> subscribers = Set.of();

  public NearLimits(Events events, Ledger ledger) {
    this.events = events;
    this.ledger = ledger;
  }

  /** A counter that a decision charged, with its cap. */
  private record Charged(
      OrgId org, String agent, String policy, String limit, long cap, Instant ends) {}

  @Override
  public void recorded(Recorded decision) {
    Set<OrgId> wanted = subscribers;
    if (wanted.isEmpty()
        || decision.dryRun()
        || !(decision.outcome() instanceof Outcome.Allow allow)
        || !wanted.contains(decision.input().subject().org())
        || !decision.input().subject().isHosted()) {
      return;
    }
    for (Charge charge : allow.charges()) {
      for (CounterPrecondition condition : allow.conditions()) {
        long cap = condition.atMost() + charge.amount();
        if (condition.key().equals(charge.key()) && cap < UNCAPPED && charged.size() < MOST) {
          charged.put(
              charge.key(),
              new Charged(
                  decision.input().subject().org(),
                  decision.input().subject().agentId(),
                  decision.input().policy().pack().id().value(),
                  charge.name(),
                  cap,
                  charge.expiresAtMs() > FAR.toEpochMilli()
                      ? FAR
                      : Instant.ofEpochMilli(charge.expiresAtMs())));
        }
      }
    }
  }

  /** Compares the noted counters with their caps, and publishes those that are near. */
  void publish(Instant now) {
    subscribers = events.subscribers(EventType.LIMIT_NEAR);
    var noted = new HashMap<>(charged);
    noted.forEach(charged::remove);
    Usage usage = ledger.totals(noted.keySet(), now.toEpochMilli());
    noted.forEach((key, counter) -> publish(key, counter, usage.total(key)));
  }

  /** Returns the smallest sum that is at least that many percent of the cap. */
  private static long threshold(long cap, int percent) {
    long rest = 100L - percent;
    return cap - cap / 100 * rest - cap % 100 * rest / 100;
  }

  private void publish(CounterKey key, Charged counter, long used) {
    for (int level : LEVELS) {
      if (used >= threshold(counter.cap(), level)) {
        events.publishOnce(
            "limit:" + HexFormat.of().formatHex(key.bytes()) + ":" + level,
            counter.ends(),
            new Event(
                EventType.LIMIT_NEAR,
                counter.org(),
                Optional.of(new AgentId(counter.agent())),
                "/console/passports/" + counter.agent(),
                JsonObject.builder()
                    .put("policy_id", counter.policy())
                    .put("limit", counter.limit())
                    .put("percent", level)
                    .put("used", used)
                    .put("max", counter.cap())
                    .put("window_ends_at", IsoInstant.millis(counter.ends()))
                    .build()));
        return;
      }
    }
  }
}
