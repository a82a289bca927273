package dev.safeconduct.policy.lint;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.Lifetime;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.Sources;
import dev.safeconduct.policy.Window;
import dev.safeconduct.policy.expression.CounterRead;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The counters that the rules of a pack charge. Any other counter is always empty, so a misspelt
 * counter name would disable its rule.
 */
final class CountedNames {
  private record Counted(String name, Lifetime lifetime) {}

  private final Set<Counted> counted = new HashSet<>();
  private final Set<String> names = new TreeSet<>();

  CountedNames(List<Rule> rules) {
    rules.forEach(this::add);
  }

  private void add(Rule rule) {
    switch (rule) {
      case Rule.Counted(_, _, _, List<Rule.Counter> counters, _, _) ->
          counters.forEach(counter -> {
            counted.add(new Counted(counter.name(), counter.lifetime()));
            names.add(counter.name());
          });
      case Rule.Combined(_, _, List<Rule> parts, _, _) -> parts.forEach(this::add);
      case Rule.Conditional _, Rule.Validated _ -> {}
    }
  }

  /** Returns the fault of a counter read, if any; {@code place} is the place of its expression. */
  Optional<PolicyFault> fault(CounterRead read, PolicyFault place) {
    if (read.kind() == CounterRead.Kind.WINDOW && read.seconds() < 1) {
      return Optional.empty(); // how far back is found out when it runs
    }
    Window window =
        switch (read.kind()) {
          case DAY -> Window.DAY;
          case WINDOW -> Window.reaching(read.seconds());
          case KEY -> Window.ROLLING_DAY;
          case SET -> Window.FOREVER;
        };
    if (counted.contains(new Counted(read.counter(), window))) {
      return Optional.empty();
    }
    PolicyFault fault =
        Sources.saying(
                place,
                "no rule of the pack counts \""
                    + read.counter()
                    + "\" in the window "
                    + window.wire()
                    + ", so this never finds anything")
            .at(read.column());
    return Optional.of(
        Spelling.nearest(read.counter(), names)
            .filter(name -> counted.contains(new Counted(name, window)))
            .map(fault::suggesting)
            .orElse(fault));
  }
}
