package dev.safeconduct.policy.lint;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.Sources;
import dev.safeconduct.policy.expression.ExpressionFault;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Finds rules that decide nothing: those that can never pass, can never deny, or are never reached.
 * A rule is reached only if all earlier ones have passed, so the facts they prove are used.
 */
final class DeadRules {
  private final TypeEnvironment before;
  private final Consumer<PolicyFault> faults;

  /** Creates the check; {@code before} is the knowledge when the first rule is reached. */
  DeadRules(TypeEnvironment before, Consumer<PolicyFault> faults) {
    this.before = before;
    this.faults = faults;
  }

  void run(List<Sources.Source> sources, List<Rule> rules) {
    TypeEnvironment known = before;
    for (Sources.Source source : sources) {
      if (source.use() == Sources.Use.DEMAND) {
        Inspection demand = inspect(source, known);
        if (demand.neverHolds()) {
          report(source, "no context can ever meet this, so every action is denied");
        }
        known = demand.whenItHolds().orElse(known);
      }
    }
    conditions(sources, known);
    repeated(rules);
  }

  private void conditions(List<Sources.Source> sources, TypeEnvironment reached) {
    TypeEnvironment known = reached;
    Optional<String> blocking = Optional.empty();
    for (Sources.Source source : sources) {
      if (source.use() != Sources.Use.CONDITION) {
        continue;
      }
      String rule = source.place().rule().orElse("");
      Inspection alone = inspect(source, before);
      Inspection here = inspect(source, known);
      if (blocking.isPresent()) {
        report(
            source,
            "this is never reached: the rule " + blocking.get() + " before it denies every action");
      } else if (alone.neverHolds()) {
        report(source, "this can never pass, so the rule denies every action");
        blocking = Optional.of(rule);
      } else if (alone.alwaysHolds()) {
        report(source, "this can never fail, so the rule denies nothing");
      } else if (here.neverHolds()) {
        report(
            source,
            "this can never pass once the rules before it have, so together they deny every"
                + " action");
        blocking = Optional.of(rule);
      } else if (here.alwaysHolds()) {
        report(
            source,
            "this is never the rule that denies: what it would deny the rules before it have"
                + " denied already");
      } else {
        known = here.whenItHolds().orElse(known);
      }
    }
  }

  /** Finds repeated checks: the second can deny nothing that the first has passed. */
  private void repeated(List<Rule> rules) {
    Map<String, String> seen = new HashMap<>();
    for (int i = 0; i < rules.size(); i++) {
      for (Rule part :
          rules.get(i) instanceof Rule.Combined combined
              ? combined.parts()
              : List.of(rules.get(i))) {
        Optional<String> check =
            switch (part) {
              case Rule.Conditional conditional ->
                  Optional.of("condition " + conditional.condition().source().strip());
              case Rule.Validated validated -> Optional.of("validator " + validated.validator());
              case Rule.Counted _, Rule.Combined _ -> Optional.empty();
            };
        if (check.isPresent()) {
          String first = seen.putIfAbsent(check.get(), part.name());
          if (first != null && !first.equals(part.name())) {
            faults.accept(
                PolicyFault.at(
                        "evaluation_rules[" + i + "]",
                        "this is never the rule that denies: it repeats the "
                            + check.get().substring(0, check.get().indexOf(' '))
                            + " of the rule "
                            + first)
                    .of(part.name()));
          }
        }
      }
    }
  }

  private void report(Sources.Source source, String message) {
    faults.accept(source.place().saying(message).at(1));
  }

  private static Inspection inspect(Sources.Source source, TypeEnvironment known) {
    try {
      return Inspection.of(source.text(), known);
    } catch (ExpressionFault e) {
      throw new IllegalStateException("it has compiled before", e);
    }
  }
}
