package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Rules for the action at a URL: the method of a fetch, the forms of a browser. */
final class RequestRules {
  private RequestRules() {}

  /** Pack catalogue 4, rule 4: the limit's entries count in upper case. */
  static RuleResult method(Facts facts) {
    String method = facts.context().string("method").orElse("GET");
    return admits(facts.limits(), method)
        ? RuleResult.pass()
        : RuleResult.fail("The method " + Excerpt.of(method) + " is not in allowed_methods.");
  }

  /** Whether a list, which may be absent, admits the method, which is in upper case. */
  static boolean admits(Limits limits, String method) {
    return switch (limits.list("allowed_methods", "url.methods", RequestRules::upperCase)) {
      case Reading.Absent<Set<String>> _ -> true;
      case Reading.Malformed<Set<String>> _ -> false;
      case Reading.Present<Set<String>>(Set<String> entries) ->
          entries.contains("*") || entries.contains(method);
    };
  }

  private static Set<String> upperCase(List<String> entries) {
    return entries.stream()
        .map(entry -> entry.toUpperCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Pack catalogue 5, rule 5. */
  static RuleResult forms(Facts facts) {
    JsonValue allowed = facts.limits().get("allow_form_submission");
    if (allowed == null || allowed == JsonBoolean.TRUE) {
      return RuleResult.pass();
    }
    boolean submits =
        switch (facts.context().text("action")) {
          case "type" -> true;
          case "click" -> maySubmit(facts.context().text("selector"));
          default -> false;
        };
    return submits
        ? RuleResult.fail("Typing and clicks that may submit a form are not allowed.")
        : RuleResult.pass();
  }

  /** Whether a click may submit a form. A click without a specific selector may hit any element. */
  private static boolean maySubmit(String selector) {
    return selector.isBlank() || selector.toLowerCase(Locale.ROOT).contains("submit");
  }
}
