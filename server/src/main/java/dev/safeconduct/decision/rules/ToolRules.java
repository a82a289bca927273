package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rules for the name and the capabilities of a tool. */
final class ToolRules {
  private static final List<String> RESOURCES =
      List.of("memory_mb", "cpu_millicores", "storage_gb");

  private static final int SHORTEST_NAME = 3;
  private static final int LONGEST_NAME = 100;

  private ToolRules() {}

  static RuleResult naming(Facts facts) {
    String name = facts.context().text("tool_name");
    return isName(name)
        ? RuleResult.pass()
        : RuleResult.fail(
            "The name "
                + Excerpt.of(name)
                + " must be 3 to 100 of a-z, 0-9, '.', '_' and '-', a letter or digit at both"
                + " ends.");
  }

  private static boolean isName(String name) {
    if (name.length() < SHORTEST_NAME || name.length() > LONGEST_NAME) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean end = i == 0 || i == name.length() - 1;
      boolean letterOrDigit = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && (end || (c != '.' && c != '_' && c != '-'))) {
        return false;
      }
    }
    return true;
  }

  /** A tool's capabilities are within the owner's list or, without a list, within the agent's. */
  static RuleResult capabilities(Facts facts) {
    return switch (facts.limits().list("allowed_capabilities")) {
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("allowed_capabilities is not a list.");
      case Reading.Absent<List<String>> _ ->
          capabilities(facts, facts.capabilities().canonicalIds(), "held by the passport");
      case Reading.Present<List<String>>(List<String> listed) -> {
        Set<String> allowed = new HashSet<>();
        listed.stream().map(Capabilities::canonical).forEach(allowed::add);
        yield allowed.contains("*")
            ? RuleResult.pass()
            : capabilities(facts, allowed, "in allowed_capabilities");
      }
    };
  }

  private static RuleResult capabilities(Facts facts, Set<String> allowed, String place) {
    return facts
        .context()
        .list("capabilities")
        .strings()
        .filter(id -> !allowed.contains(Capabilities.canonical(id)))
        .findFirst()
        .map(id -> RuleResult.fail("The capability " + Excerpt.of(id) + " is not " + place + "."))
        .orElse(RuleResult.pass());
  }

  /** The limits on the memory, processor and disk that a session may request. */
  static RuleResult resources(Facts facts) {
    Optional<JsonObject> asked = facts.context().object("resources");
    JsonValue limit = facts.limits().get("resource_quota");
    if (asked.isEmpty() || limit == null) {
      return RuleResult.pass();
    }
    if (!(limit instanceof JsonObject quotas)) {
      return RuleResult.fail("resource_quota is not an object.");
    }
    for (String resource : RESOURCES) {
      if (asked.get().present(resource) instanceof JsonNumber(double amount, _)) {
        switch (new Limits(quotas).number(resource)) {
          case Reading.Absent<Double> _ -> {}
          case Reading.Malformed<Double> _ -> {
            return RuleResult.fail("The quota of " + resource + " is no number of at least 0.");
          }
          case Reading.Present<Double>(Double most) -> {
            if (amount > most) {
              return RuleResult.fail(
                  (long) amount + " of " + resource + " are more than resource_quota allows.");
            }
          }
        }
      }
    }
    return RuleResult.pass();
  }
}
