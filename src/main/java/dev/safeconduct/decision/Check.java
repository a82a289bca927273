package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;

/**
 * One step of a judgement, for whoever asks why.
 *
 * @param name the rule, or the common check
 * @param passed whether it had nothing against the action
 * @param limits the limits it looked at; null for one that is not set, where it failed
 * @param context the context values it looked at, likewise
 * @param further what else it looked at where it failed: {@code passport}, {@code counters}
 */
public record Check(
    String name, boolean passed, Looked limits, Looked context, JsonObject further) {
  /** A check that looked at nothing else. */
  public Check(String name, boolean passed, Looked limits, Looked context) {
    this(name, passed, limits, context, JsonObject.EMPTY);
  }

  /** Whether it passed without a look at anything that could be shown. */
  public boolean sawNothing() {
    return passed && limits.names().isEmpty() && context.names().isEmpty() && further.isEmpty();
  }
}
