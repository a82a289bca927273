package dev.safeconduct.decision;

import dev.safeconduct.decision.facts.Capabilities;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.expression.Facts;
import dev.safeconduct.policy.expression.State;
import java.time.Instant;

/** One judgement's facts as expressions see them. */
record ExpressionFacts(
    JsonObject passport,
    JsonObject context,
    JsonObject limits,
    JsonObject policy,
    State state,
    Capabilities capabilities,
    Instant at)
    implements Facts {
  @Override
  public double now() {
    return at.toEpochMilli() / 1000.0;
  }

  @Override
  public boolean hasCapability(String id) {
    return capabilities.holds(id);
  }

  @Override
  public boolean regionCovered(String region) {
    return Regions.cover(passport, region);
  }
}
