package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;

/**
 * One step of an evaluation, for callers who ask for an explanation.
 *
 * @param name the rule, or the common check
 * @param passed whether the check allows the action
 * @param limits the limits it read; in a failed check a limit that is not set is null
 * @param context the context values it read, in the same form
 * @param further other values that a failed check read: {@code passport}, {@code counters}
 */
public record Check(
    String name,
    boolean passed,
    EvaluatedInputs limits,
    EvaluatedInputs context,
    JsonObject further) {
  /** Creates a check that read no further values. */
  public Check(String name, boolean passed, EvaluatedInputs limits, EvaluatedInputs context) {
    this(name, passed, limits, context, JsonObject.EMPTY);
  }

  /** Whether the check passed and read no value that can be shown. */
  public boolean sawNothing() {
    return passed && limits.names().isEmpty() && context.names().isEmpty() && further.isEmpty();
  }

  /** Returns the same check marked as a check of a template. */
  Check ofTemplate(String agentId) {
    return new Check("template " + agentId + ": " + name, passed, limits, context, further);
  }
}
