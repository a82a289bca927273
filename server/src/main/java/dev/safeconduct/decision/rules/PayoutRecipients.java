package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Optional;

/** The allowed payout recipients: texts, or objects with an id and their own limits. */
final class PayoutRecipients {
  private PayoutRecipients() {}

  static RuleResult allowed(Facts facts) {
    JsonValue limit = facts.limits().get("allowed_recipients");
    if (limit == null) {
      return RuleResult.pass();
    }
    if (!(limit instanceof JsonArray entries)) {
      return RuleResult.fail("The passport's allowed_recipients is not a list.");
    }
    String destination = destination(facts);
    for (JsonValue entry : entries) {
      if (entry instanceof JsonString(String text)
          && (text.equals("*") || text.equals(destination))) {
        return RuleResult.pass();
      }
    }
    return entriesOf(facts).isEmpty()
        ? RuleResult.fail("The recipient " + Excerpt.of(destination) + " is not allowed.")
        : RuleResult.pass();
  }

  /** The object entries that name the destination. */
  static List<JsonObject> entriesOf(Facts facts) {
    return facts.once(
        "payout recipient entries",
        () -> {
          Optional<String> destination = Optional.of(destination(facts));
          return facts.limits().get("allowed_recipients") instanceof JsonArray entries
              ? entries.elements().stream()
                  .filter(JsonObject.class::isInstance)
                  .map(JsonObject.class::cast)
                  .filter(entry -> entry.string("id").equals(destination))
                  .toList()
              : List.<JsonObject>of();
        });
  }

  private static String destination(Facts facts) {
    return facts.context().text("destination_id");
  }
}
