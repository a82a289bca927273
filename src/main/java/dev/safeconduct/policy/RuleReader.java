package dev.safeconduct.policy;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.expression.ExpressionFault;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Reads the rules of one pack, checking each against the pack's own limits and context. */
final class RuleReader {
  private static final int MAX_RULES = 200;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,63}");
  private static final Pattern CODE = Pattern.compile("oap\\.[a-z][a-z0-9_]{0,63}");
  private static final Set<String> MEMBERS =
      Set.of(
          "name",
          "type",
          "deny_code",
          "description",
          "message",
          "condition",
          "validator",
          "counters",
          "limits",
          "context");

  private final Set<String> validators;
  private final Predicate<String> knownLimit;
  private final Predicate<String> knownField;
  private final List<String> faults;

  RuleReader(
      Set<String> validators,
      Predicate<String> knownLimit,
      Predicate<String> knownField,
      List<String> faults) {
    this.validators = validators;
    this.knownLimit = knownLimit;
    this.knownField = knownField;
    this.faults = faults;
  }

  List<Rule> rules(JsonObject document) {
    var rules = new ArrayList<Rule>();
    JsonArray list = document.array("evaluation_rules").orElse(JsonArray.EMPTY);
    if (list.size() > MAX_RULES) {
      faults.add("evaluation_rules has " + list.size() + " rules; " + MAX_RULES + " are the most");
      return rules;
    }
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) instanceof JsonObject rule) {
        rule(i, rule).ifPresent(rules::add);
      } else {
        faults.add("evaluation_rules[" + i + "] must be an object");
      }
    }
    return rules;
  }

  /** The {@code x-conditions} of the context schema. */
  List<PolicyPack.Demand> demands(JsonObject document) {
    var demands = new ArrayList<PolicyPack.Demand>();
    JsonArray list =
        document
            .object("required_context")
            .flatMap(context -> context.array("x-conditions"))
            .orElse(JsonArray.EMPTY);
    for (int i = 0; i < list.size(); i++) {
      String place = "required_context.x-conditions[" + i + "]";
      if (list.get(i) instanceof JsonObject demand) {
        Optional<Expression> condition = expression(place, demand, "condition");
        String message = demand.string("message").orElse("The context is not acceptable.");
        condition.ifPresent(e -> demands.add(new PolicyPack.Demand(e, message)));
      } else {
        faults.add(place + " must be an object");
      }
    }
    return demands;
  }

  private Optional<Rule> rule(int index, JsonObject rule) {
    String name = rule.string("name").orElse("");
    String place = "rule " + (name.isEmpty() ? "[" + index + "]" : name);
    if (!NAME.matcher(name).matches()) {
      faults.add(place + ": name must be lower case letters, digits and underscores");
    }
    String code = rule.string("deny_code").orElse("");
    if (!CODE.matcher(code).matches()) {
      faults.add(place + ": deny_code must look like oap.some_reason");
    }
    for (String member : rule.names()) {
      if (!MEMBERS.contains(member)) {
        faults.add(place + ": unknown member \"" + member + "\"");
      }
    }
    String message =
        rule.string("message").or(() -> rule.string("description")).orElse("Denied by " + name);
    if (!rule.has("condition") && !rule.has("validator") && !rule.has("counters")) {
      faults.add(place + ": at least one of condition, validator and counters is needed");
      return Optional.empty();
    }
    var parts = new ArrayList<Rule>();
    if (rule.has("condition")) {
      expression(place, rule, "condition")
          .ifPresent(condition ->
              parts.add(
                  new Rule.Conditional(
                      name,
                      code,
                      message,
                      condition,
                      List.copyOf(condition.limitNames()),
                      List.copyOf(condition.contextNames()))));
    }
    if (rule.has("validator")) {
      validated(place, name, code, rule).ifPresent(parts::add);
    }
    if (rule.has("counters")) {
      counted(place, name, code, message, rule).ifPresent(parts::add);
    }
    return switch (parts.size()) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(parts.getFirst());
      default ->
          Optional.of(
              new Rule.Combined(
                  name, code, parts, union(parts, Rule::limits), union(parts, Rule::fields)));
    };
  }

  private static List<String> union(List<Rule> parts, Function<Rule, List<String>> names) {
    return parts.stream().flatMap(part -> names.apply(part).stream()).distinct().toList();
  }

  private Optional<Rule> validated(String place, String name, String code, JsonObject rule) {
    String validator = rule.string("validator").orElse("");
    if (!validators.contains(validator)) {
      faults.add(place + ": there is no validator \"" + validator + "\"");
      return Optional.empty();
    }
    List<String> reads = names(rule, "limits");
    List<String> fields = names(rule, "context");
    reads.forEach(limit -> checkLimit(place, limit));
    fields.forEach(field -> checkField(place, field));
    return Optional.of(new Rule.Validated(name, code, validator, reads, fields));
  }

  private Optional<Rule> counted(
      String place, String name, String code, String message, JsonObject rule) {
    var counters = new ArrayList<Rule.Counter>();
    var reads = new LinkedHashSet<String>();
    var fields = new LinkedHashSet<String>();
    for (JsonValue value : rule.array("counters").orElse(JsonArray.EMPTY)) {
      if (!(value instanceof JsonObject counter)) {
        faults.add(place + ": a counter must be an object");
        continue;
      }
      Optional<Lifetime> lifetime = lifetime(place, counter);
      Optional<Rule.Cap> cap = cap(place, rule, counter);
      Optional<Expression> when = optional(place, counter, "when");
      Optional<Expression> key = optional(place, counter, "key");
      Optional<Expression> amount = optional(place, counter, "amount");
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
    if (counters.isEmpty()) {
      faults.add(place + ": counters must name at least one counter");
      return Optional.empty();
    }
    return Optional.of(
        new Rule.Counted(name, code, message, counters, List.copyOf(reads), List.copyOf(fields)));
  }

  private static Rule.Uncapped uncapped(JsonObject counter) {
    if (counter.isTrue("required")) {
      return Rule.Uncapped.DENY;
    }
    return counter.isTrue("always") ? Rule.Uncapped.CHARGE : Rule.Uncapped.SKIP;
  }

  private Optional<Lifetime> lifetime(String place, JsonObject counter) {
    if (counter.has("window") == counter.has("lives_seconds")) {
      faults.add(place + ": a counter needs either window or lives_seconds");
      return Optional.empty();
    }
    if (counter.has("lives_seconds")) {
      return expression(place, counter, "lives_seconds").map(Lifetime.Lives::new);
    }
    Optional<Window> window = counter.string("window").flatMap(Window::parse);
    if (window.isEmpty()) {
      faults.add(place + ": window must be minute, hour, 24h, day or forever");
    }
    return window.map(Function.identity());
  }

  private Optional<Rule.Cap> cap(String place, JsonObject rule, JsonObject counter) {
    if (counter.has("max")) {
      return expression(place, counter, "max").map(Rule.Cap.Said::new);
    }
    Optional<Rule.Cap> measured = rule.string("validator").map(Rule.Cap.Measured::new);
    if (measured.isEmpty()) {
      faults.add(place + ": max is needed in a counter whose rule has no validator");
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

  private Optional<Expression> optional(String place, JsonObject from, String member) {
    return from.has(member) ? expression(place, from, member) : Optional.empty();
  }

  private Optional<Expression> expression(String place, JsonObject from, String member) {
    Optional<String> source = from.string(member);
    if (source.isEmpty()) {
      faults.add(place + ": " + member + " must be an expression");
      return Optional.empty();
    }
    try {
      Expression expression = Expression.compile(source.get());
      expression.limitNames().forEach(limit -> checkLimit(place + ", " + member, limit));
      expression.contextNames().forEach(field -> checkField(place + ", " + member, field));
      return Optional.of(expression);
    } catch (ExpressionFault e) {
      faults.add(place + ", " + member + ", column " + e.column() + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  private void checkLimit(String place, String limit) {
    if (!knownLimit.test(limit)) {
      faults.add(place + ": the pack has no limit \"" + limit + "\"");
    }
  }

  private void checkField(String place, String field) {
    if (!knownField.test(field)) {
      faults.add(place + ": the pack's context has no field \"" + field + "\"");
    }
  }

  private static List<String> names(JsonObject rule, String member) {
    return rule.array(member).map(list -> list.strings().toList()).orElse(List.of());
  }
}
