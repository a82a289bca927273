package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Rules for the goods and destinations of charges (finance.payment.charge.v1). */
final class ChargeRules {
  private ChargeRules() {}

  /** An explicitly empty list restricts nothing here. */
  static RuleResult country(Facts facts) {
    return switch (facts.limits().list("allowed_countries")) {
      case Reading.Absent<List<String>> _ -> RuleResult.pass();
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The passport's allowed_countries is not a list.");
      case Reading.Present<List<String>>(List<String> allowed) -> {
        boolean open =
            facts.limits().get("allowed_countries") instanceof JsonArray all && all.isEmpty();
        String country = country(facts.context());
        boolean listed =
            Folding.admits(allowed.stream().map(ChargeRules::upper).toList(), upper(country));
        yield open || listed
            ? RuleResult.pass()
            : RuleResult.fail("Shipping to " + Excerpt.of(country) + " is not allowed.");
      }
    };
  }

  private static String country(JsonObject context) {
    return context
        .string("shipping_country")
        .filter(country -> !country.isEmpty())
        .or(() -> context.string("region"))
        .orElse("");
  }

  private static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }

  static RuleResult categories(Facts facts) {
    return switch (facts.limits().list("blocked_categories")) {
      case Reading.Absent<List<String>> _ -> RuleResult.pass();
      case Reading.Malformed<List<String>> _ ->
          RuleResult.fail("The passport's blocked_categories is not a list.");
      case Reading.Present<List<String>>(List<String> blocked) -> {
        Set<String> keys = new HashSet<>();
        blocked.forEach(entry -> keys.add(Folding.blockKey(entry)));
        for (JsonValue item : facts.context().list("items")) {
          if (item instanceof JsonObject object
              && object
                  .string("category")
                  .map(Folding::blockKey)
                  .filter(keys::contains)
                  .isPresent()) {
            yield RuleResult.fail(
                "Goods of the category " + Excerpt.of(object.text("category")) + " are blocked.");
          }
        }
        yield RuleResult.pass();
      }
    };
  }
}
