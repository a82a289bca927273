package dev.safeconduct.decision.agent;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Optional;

/** How much memory, processor and disk a session may ask for. */
final class ResourceQuota {
  private static final List<String> RESOURCES =
      List.of("memory_mb", "cpu_millicores", "storage_gb");

  private ResourceQuota() {}

  static Verdict check(Facts facts) {
    Optional<JsonObject> asked = facts.context().object("resources");
    JsonValue limit = facts.limits().get("resource_quota");
    if (asked.isEmpty() || limit == null) {
      return Verdict.pass();
    }
    if (!(limit instanceof JsonObject quotas)) {
      return Verdict.fail("resource_quota is not an object.");
    }
    for (String resource : RESOURCES) {
      if (asked.get().present(resource) instanceof JsonNumber(double amount)) {
        switch (new Limits(quotas).number(resource)) {
          case Reading.Absent<Double> _ -> {}
          case Reading.Malformed<Double> _ -> {
            return Verdict.fail("The quota of " + resource + " is no number of at least 0.");
          }
          case Reading.Present<Double>(Double most) -> {
            if (amount > most) {
              return Verdict.fail(
                  (long) amount + " of " + resource + " are more than resource_quota allows.");
            }
          }
        }
      }
    }
    return Verdict.pass();
  }
}
