package dev.safeconduct.decision;

import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.ledger.CounterPrecondition;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** One agent asking under one pack, with its counters, and a clock that moves when told. */
final class TestSession {
  private final PolicyPack pack;
  private JsonObject passport;
  private final List<Charge> taken = new ArrayList<>();
  private Feeds feeds = Feeds.NONE;
  private Instant now = Instant.parse("2026-11-21T12:00:00Z");

  TestSession(PolicyPack pack, JsonObject passport) {
    this.pack = pack;
    this.passport = passport;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  /** The agent's passport was changed. */
  void carries(JsonObject changed) {
    passport = changed;
  }

  void reports(Feeds known) {
    feeds = known;
  }

  void at(Instant instant) {
    now = instant;
  }

  /** Judges as the service does: first by empty counters, again while a condition fails. */
  Outcome ask(JsonObject context) {
    Usage usage = Usage.NONE;
    while (true) {
      Outcome outcome = judge(context, usage);
      var moved = new HashMap<CounterKey, Long>();
      for (CounterPrecondition condition : outcome.conditions()) {
        long total = total(condition.key());
        if (total > condition.atMost()) {
          moved.put(condition.key(), total);
        }
      }
      if (moved.isEmpty()) {
        if (outcome instanceof Outcome.Allow allow) {
          taken.addAll(allow.charges());
        }
        return outcome;
      }
      usage = usage.with(moved);
    }
  }

  Outcome judge(JsonObject context, Usage usage) {
    return judge(context, usage, Optional.empty());
  }

  Outcome judge(JsonObject context, Usage usage, Optional<ObserveRules> observe) {
    return new PolicyDecisionPoint(
            Validators.all(),
            fault -> {
              throw new AssertionError(fault);
            })
        .decide(
            () ->
                new DecisionRequest(
                    TestPacks.agent(passport, pack, true),
                    DecisionRequest.Context.of(context),
                    usage,
                    feeds,
                    now,
                    true,
                    false),
            new Budget(),
            observe);
  }

  private long total(CounterKey key) {
    return taken.stream()
        .filter(charge -> charge.key().equals(key) && charge.expiresAtMs() > now.toEpochMilli())
        .mapToLong(Charge::amount)
        .sum();
  }
}
