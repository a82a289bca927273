package dev.safeconduct.simulate;

import dev.safeconduct.decision.Feeds;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.verify.SentEntities;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A test case: an agent's requests under a pack, step by step, with the expected decisions.
 *
 * @param pack the pack's id, where the case says it
 * @param passport whose agent asks; active unless it says otherwise. Without one the pack has the
 *     passport of the subject that the context names
 * @param at the time of the first step
 */
public record PolicyCase(
    String name,
    Optional<String> pack,
    Optional<JsonObject> passport,
    Feeds feeds,
    Instant at,
    List<Step> steps) {
  /** When a case takes place that does not say so: results never depend on the day. */
  public static final Instant USUALLY = Instant.parse("2026-11-21T12:00:00Z");

  public PolicyCase {
    steps = List.copyOf(steps);
  }

  /**
   * One question with its expected answer; what is absent is not compared.
   *
   * @param entities the AuthZEN request, if the case is one
   * @param after how long after the step before
   * @param passport the passport from this step on, where it changes
   */
  public record Step(
      JsonObject context,
      Optional<SentEntities> entities,
      Duration after,
      Optional<JsonObject> passport,
      Optional<Boolean> allow,
      Optional<String> code,
      Optional<String> rule) {}
}
