package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Optional;

/** The limits on the memory, processor and disk that a session may request. */
final class ResourceQuota {
  private static final List<String> RESOURCES =
      List.of("memory_mb", "cpu_millicores", "storage_gb");

  private ResourceQuota() {}

  static RuleResult check(Facts facts) {
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
