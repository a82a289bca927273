package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.policy.expression.FactSource;
import dev.safeconduct.policy.expression.State;
import java.time.Instant;

/** The facts of one evaluation in the form that expressions read. */
record ExpressionFacts(
    JudgedPassport agent,
    Permissions permissions,
    JsonObject context,
    JsonObject limits,
    JsonObject policy,
    State state,
    Instant at,
    Budget request)
    implements FactSource {
  @Override
  public JsonObject passport() {
    return agent.document();
  }

  @Override
  public Budget budget() {
    return request.next();
  }

  @Override
  public double now() {
    return at.toEpochMilli() / 1000.0;
  }

  @Override
  public boolean hasCapability(String id) {
    return permissions.capabilities().holds(id);
  }

  @Override
  public boolean regionCovered(String region) {
    return permissions.covers(region);
  }
}
