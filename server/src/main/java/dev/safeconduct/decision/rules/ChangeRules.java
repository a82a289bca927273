package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.Readings;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.path.PathPatterns;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules for the paths, size and required reviews of a pull request. */
final class ChangeRules {
  private ChangeRules() {}

  static RuleResult paths(Facts facts) {
    if (!isPullRequest(facts)) {
      return RuleResult.pass();
    }
    return switch (Readings.lists(facts.limits(), paramsOf(facts), "path_allowlist")) {
      case Reading.Absent<List<List<String>>> _ -> RuleResult.pass();
      case Reading.Malformed<List<List<String>>> _ ->
          RuleResult.fail("path_allowlist is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) ->
          facts
              .context()
              .array("files_changed")
              .map(files -> paths(lists, files.strings().toList()))
              .orElse(
                  RuleResult.fail("files_changed must name the files: there is a path_allowlist."));
    };
  }

  private static RuleResult paths(List<List<String>> lists, List<String> files) {
    for (List<String> list : lists) {
      var patterns = PathPatterns.allowList(list);
      for (String file : files) {
        if (!patterns.matchEveryForm(file)) {
          return RuleResult.fail("The file " + Excerpt.of(file) + " is not in path_allowlist.");
        }
      }
    }
    return RuleResult.pass();
  }

  static RuleResult caps(Facts facts) {
    if (!isPullRequest(facts)) {
      return RuleResult.pass();
    }
    return cap(facts, "max_files_changed", count(facts.context().get("files_changed")))
        .or(() -> cap(facts, "max_total_added_lines", count(facts.context().get("lines_added"))))
        .orElse(RuleResult.pass());
  }

  private static OptionalDouble count(@Nullable JsonValue value) {
    return switch (value) {
      case JsonArray array -> OptionalDouble.of(array.size());
      case JsonNumber(double number, _) -> OptionalDouble.of(number);
      case null, default -> OptionalDouble.empty();
    };
  }

  private static Optional<RuleResult> cap(Facts facts, String limit, OptionalDouble count) {
    if (count.isEmpty()) {
      return Optional.empty();
    }
    return switch (Readings.numbers(facts.limits(), paramsOf(facts), limit)) {
      case Reading.Absent<List<Double>> _ -> Optional.empty();
      case Reading.Malformed<List<Double>> _ ->
          Optional.of(RuleResult.fail(limit + " is no number of at least 0."));
      case Reading.Present<List<Double>>(List<Double> caps) ->
          caps.stream().anyMatch(cap -> count.getAsDouble() > cap)
              ? Optional.of(
                  RuleResult.fail(
                      (long) count.getAsDouble() + " are more than " + limit + " allows."))
              : Optional.empty();
    };
  }

  static RuleResult review(Facts facts) {
    if (!isMerge(facts)) {
      return RuleResult.pass();
    }
    double reviews = count(facts.context().get("reviews")).orElse(0);
    if (facts.limits().demands("require_review") && reviews < 1) {
      return RuleResult.fail("A review is required before merging.");
    }
    switch (Readings.numbers(facts.limits(), paramsOf(facts), "required_reviews")) {
      case Reading.Absent<List<Double>> _ -> {}
      case Reading.Malformed<List<Double>> _ -> {
        return RuleResult.fail("required_reviews is no number of at least 0.");
      }
      case Reading.Present<List<Double>>(List<Double> demanded) -> {
        if (demanded.stream().anyMatch(number -> reviews < number)) {
          return RuleResult.fail("There are " + (long) reviews + " reviews; more are required.");
        }
      }
    }
    return labels(facts);
  }

  private static RuleResult labels(Facts facts) {
    return switch (Readings.lists(facts.limits(), paramsOf(facts), "required_labels")) {
      case Reading.Absent<List<List<String>>> _ -> RuleResult.pass();
      case Reading.Malformed<List<List<String>>> _ ->
          RuleResult.fail("required_labels is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) -> {
        Set<String> given = new HashSet<>();
        facts.context().array("labels").ifPresent(labels -> labels.strings().forEach(given::add));
        yield lists.stream()
            .flatMap(List::stream)
            .filter(label -> !given.contains(label))
            .findFirst()
            .map(label -> RuleResult.fail("The label " + Excerpt.of(label) + " is required."))
            .orElse(RuleResult.pass());
      }
    };
  }

  /** The kind of a code.repository.merge.v1 action, and the capability that it requires. */
  static String action(Facts facts) {
    return facts.context().text("action");
  }

  static boolean isPullRequest(Facts facts) {
    return action(facts).startsWith("pr.");
  }

  static boolean isMerge(Facts facts) {
    return action(facts).equals("pr.merge");
  }

  /** Returns the params of the required capability. The other capability's params do not apply. */
  static List<JsonObject> paramsOf(Facts facts) {
    String capability =
        switch (action(facts)) {
          case "pr.merge", "branch.delete" -> "repo.merge";
          default -> "repo.pr.create";
        };
    return facts.capabilities().params(List.of(capability));
  }
}
