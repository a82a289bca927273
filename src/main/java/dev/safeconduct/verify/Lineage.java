package dev.safeconduct.verify;

import dev.safeconduct.decision.Check;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Judges an instance as itself and as each of its templates, all of which must allow: so it is
 * never allowed more than they are now, and what it takes counts against their caps as well.
 */
final class Lineage {
  private Lineage() {}

  /**
   * The joined outcome.
   *
   * @param own the instance's own
   * @param judge judges by a passport, with the counters of an agent id
   */
  static Outcome judged(
      Outcome own, List<Template> templates, BiFunction<JsonObject, String, Outcome> judge) {
    Outcome joined = own;
    for (Template template : templates) {
      if (!(joined instanceof Outcome.Allow allow)) {
        return joined;
      }
      Outcome above = judge.apply(template.passport(), template.agentId());
      joined = allow.and(named(above, template.agentId()));
    }
    return joined;
  }

  /** The outcome with its reason and trace saying whose they are. */
  private static Outcome named(Outcome outcome, String template) {
    List<Check> trace =
        outcome.trace().stream()
            .map(check ->
                new Check(
                    "template " + template + ": " + check.name(),
                    check.passed(),
                    check.limits(),
                    check.context(),
                    check.further()))
            .toList();
    return switch (outcome) {
      case Outcome.Allow allow ->
          new Outcome.Allow(allow.reason(), allow.conditions(), allow.charges(), trace);
      case Outcome.Deny deny ->
          new Outcome.Deny(
              new Reason(
                  deny.reason().code(),
                  "By its template " + template + ": " + deny.reason().message(),
                  deny.reason().rule()),
              deny.conditions(),
              trace);
    };
  }
}
