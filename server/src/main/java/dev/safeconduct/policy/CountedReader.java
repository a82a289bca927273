package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/** Reads the counters of one rule. */
record CountedReader(Sources sources, Consumer<PolicyFault> faults) {
  private static final Set<String> MEMBERS =
      new TreeSet<>(
          Words.list(
              """
              name window lives_seconds max when key amount required always description
              """));

  Optional<Rule> read(
      PolicyFault place, String name, String code, String message, JsonObject rule) {
    var counters = new ArrayList<Rule.Counter>();
    var reads = new LinkedHashSet<String>();
    var fields = new LinkedHashSet<String>();
    JsonArray list = rule.list("counters");
    for (int i = 0; i < list.size(); i++) {
      PolicyFault here =
          PolicyFault.at(place.field() + ".counters[" + i + "]", "").of(place.rule().orElse(""));
      if (!(list.get(i) instanceof JsonObject counter)) {
        faults.accept(here.saying("a counter must be an object"));
        continue;
      }
      known(here, counter);
      Optional<Lifetime> lifetime = lifetime(here, counter);
      Optional<Rule.Cap> cap = cap(here, rule, counter);
      Optional<Expression> when = sources.optional(here, counter, "when", Sources.Use.WHEN);
      Optional<Expression> key = sources.optional(here, counter, "key", Sources.Use.KEY);
      Optional<Expression> amount = sources.optional(here, counter, "amount", Sources.Use.NUMBER);
      for (Optional<Expression> part : List.of(spoken(lifetime), said(cap), when, key, amount)) {
        part.ifPresent(expression -> {
          reads.addAll(expression.limitNames());
          fields.addAll(expression.contextNames());
        });
      }
      if (lifetime.isPresent() && cap.isPresent()) {
        counters.add(
            new Rule.Counter(
                counter.string("name").orElse(name),
                lifetime.get(),
                cap.get(),
                uncapped(counter),
                when,
                key,
                amount));
      }
    }
    if (list.isEmpty()) {
      faults.accept(place.saying("counters must name at least one counter"));
    }
    if (counters.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Rule.Counted(name, code, message, counters, List.copyOf(reads), List.copyOf(fields)));
  }

  private void known(PolicyFault here, JsonObject counter) {
    for (String member : counter.names()) {
      if (!MEMBERS.contains(member)) {
        PolicyFault fault = here.saying("a counter has no member \"" + member + "\"");
        faults.accept(Spelling.suggest(fault, member, MEMBERS));
      }
    }
  }

  private static Rule.Uncapped uncapped(JsonObject counter) {
    if (counter.isTrue("required")) {
      return Rule.Uncapped.DENY;
    }
    return counter.isTrue("always") ? Rule.Uncapped.CHARGE : Rule.Uncapped.SKIP;
  }

  private Optional<Lifetime> lifetime(PolicyFault here, JsonObject counter) {
    if (counter.has("window") == counter.has("lives_seconds")) {
      faults.accept(here.saying("a counter needs either window or lives_seconds"));
      return Optional.empty();
    }
    if (counter.has("lives_seconds")) {
      return sources
          .compile(here, counter, "lives_seconds", Sources.Use.NUMBER)
          .map(Lifetime.Lives::new);
    }
    Optional<Window> window = counter.string("window").flatMap(Window::parse);
    if (window.isEmpty()) {
      PolicyFault fault = here.saying("window must be minute, hour, 24h, day or forever");
      faults.accept(
          counter
              .string("window")
              .flatMap(text ->
                  Spelling.nearest(text, List.of("minute", "hour", "24h", "day", "forever")))
              .map(fault::suggesting)
              .orElse(fault));
    }
    return window.map(Function.identity());
  }

  private Optional<Rule.Cap> cap(PolicyFault here, JsonObject rule, JsonObject counter) {
    if (counter.has("max")) {
      return sources.compile(here, counter, "max", Sources.Use.NUMBER).map(Rule.Cap.Said::new);
    }
    Optional<Rule.Cap> measured = rule.string("validator").map(Rule.Cap.Measured::new);
    if (measured.isEmpty()) {
      faults.accept(here.saying("max is needed in a counter whose rule has no validator"));
    }
    return measured;
  }

  private static Optional<Expression> spoken(Optional<Lifetime> lifetime) {
    return lifetime.flatMap(known ->
        known instanceof Lifetime.Lives(Expression seconds)
            ? Optional.of(seconds)
            : Optional.empty());
  }

  private static Optional<Expression> said(Optional<Rule.Cap> cap) {
    return cap.flatMap(known ->
        known instanceof Rule.Cap.Said(Expression expression)
            ? Optional.of(expression)
            : Optional.empty());
  }
}
