package dev.safeconduct.decision.money;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Optional;

/** To whom money may be paid out: texts, or objects with an id and limits of their own. */
final class PayoutRecipients {
  private PayoutRecipients() {}

  static Verdict allowed(Facts facts) {
    JsonValue limit = facts.limits().get("allowed_recipients");
    if (limit == null) {
      return Verdict.pass();
    }
    if (!(limit instanceof JsonArray entries)) {
      return Verdict.fail("The passport's allowed_recipients is not a list.");
    }
    String destination = destination(facts);
    for (JsonValue entry : entries) {
      if (entry instanceof JsonString(String text)
          && (text.equals("*") || text.equals(destination))) {
        return Verdict.pass();
      }
    }
    return entriesOf(facts).isEmpty()
        ? Verdict.fail("The recipient " + Excerpt.of(destination) + " is not allowed.")
        : Verdict.pass();
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
    return facts.context().string("destination_id").orElse("");
  }
}
