package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the rules of one pack. */
final class RuleReader {
  private static final int MAX_RULES = 200;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,63}");
  private static final Set<String> MEMBERS =
      new TreeSet<>(
          Words.list(
              """
              name type deny_code description message condition validator counters limits
              context
              """));

  private final Set<String> validators;
  private final Consumer<PolicyFault> faults;
  private final Sources sources;
  private final CountedReader counters;

  RuleReader(Set<String> validators, Sources sources, Consumer<PolicyFault> faults) {
    this.validators = new TreeSet<>(validators);
    this.faults = faults;
    this.sources = sources;
    this.counters = new CountedReader(sources, faults);
  }

  List<Rule> rules(JsonObject document) {
    var rules = new ArrayList<Rule>();
    if (document.has("evaluation_rules") && document.array("evaluation_rules").isEmpty()) {
      faults.accept(PolicyFault.at("evaluation_rules", "this must be an array of rules"));
    }
    JsonArray list = document.list("evaluation_rules");
    if (list.size() > MAX_RULES) {
      faults.accept(
          PolicyFault.at(
              "evaluation_rules",
              "there are " + list.size() + " rules; " + MAX_RULES + " are the most"));
      return rules;
    }
    var seen = new HashSet<String>();
    for (int i = 0; i < list.size(); i++) {
      String field = "evaluation_rules[" + i + "]";
      if (list.get(i) instanceof JsonObject rule) {
        rule(field, rule, seen).ifPresent(rules::add);
      } else {
        faults.accept(PolicyFault.at(field, "this must be an object"));
      }
    }
    return rules;
  }

  /** Reads the {@code x-conditions} of the context schema. */
  List<PolicyPack.Demand> demands(JsonObject document) {
    var demands = new ArrayList<PolicyPack.Demand>();
    JsonArray list =
        document
            .object("required_context")
            .flatMap(context -> context.array("x-conditions"))
            .orElse(JsonArray.EMPTY);
    for (int i = 0; i < list.size(); i++) {
      PolicyFault place = PolicyFault.at("required_context.x-conditions[" + i + "]", "");
      if (list.get(i) instanceof JsonObject demand) {
        Optional<Expression> condition =
            sources.compile(place, demand, "condition", Sources.Use.DEMAND);
        String message = demand.string("message").orElse("The context is not acceptable.");
        condition.ifPresent(e -> demands.add(new PolicyPack.Demand(e, message)));
      } else {
        faults.accept(place.saying("this must be an object"));
      }
    }
    return demands;
  }

  private Optional<Rule> rule(String field, JsonObject rule, Set<String> seen) {
    String name = rule.text("name");
    PolicyFault place = PolicyFault.at(field, "");
    if (NAME.matcher(name).matches()) {
      place = place.of(name);
      if (!seen.add(name)) {
        faults.accept(place.saying("is a duplicate name"));
      }
    } else {
      faults.accept(place.saying("name must be lower case letters, digits and underscores"));
    }
    String code = rule.text("deny_code");
    if (!DenyCodes.FORM.matcher(code).matches()) {
      faults.accept(place.saying("deny_code must look like oap.some_reason"));
    }
    for (String member : rule.names()) {
      if (!MEMBERS.contains(member)) {
        PolicyFault fault = place.saying("unknown member \"" + member + "\"");
        faults.accept(Spelling.suggest(fault, member, MEMBERS));
      }
    }
    String message =
        rule.string("message").or(() -> rule.string("description")).orElse("Denied by " + name);
    if (!rule.has("condition") && !rule.has("validator") && !rule.has("counters")) {
      faults.accept(place.saying("at least one of condition, validator and counters is needed"));
      return Optional.empty();
    }
    var parts = new ArrayList<Rule>();
    if (rule.has("condition")) {
      sources
          .compile(place, rule, "condition", Sources.Use.CONDITION)
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
      counters.read(place, name, code, message, rule).ifPresent(parts::add);
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

  private Optional<Rule> validated(PolicyFault place, String name, String code, JsonObject rule) {
    String validator = rule.text("validator");
    if (!validators.contains(validator)) {
      PolicyFault fault = place.saying("there is no validator \"" + validator + "\"");
      faults.accept(Spelling.suggest(fault, validator, validators));
      return Optional.empty();
    }
    return Optional.of(
        new Rule.Validated(name, code, validator, names(rule, "limits"), names(rule, "context")));
  }

  private static List<String> names(JsonObject rule, String member) {
    return rule.array(member).map(JsonArray::texts).orElse(List.of());
  }
}
