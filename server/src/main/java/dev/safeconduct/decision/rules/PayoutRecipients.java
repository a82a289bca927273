package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.decision.Validator;
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

  /**
   * The limits of a payout recipient. Every entry that names the recipient applies. The cap is the
   * lowest daily cap.
   */
  static final class PayoutRecipientLimits implements Validator {
    @Override
    public RuleResult check(Facts facts) {
      for (JsonObject entry : entriesOf(facts)) {
        JsonValue stated = entry.present("limits");
        if (stated == null) {
          continue;
        }
        if (!(stated instanceof JsonObject limits)) {
          return RuleResult.fail("The recipient's limits are not an object.");
        }
        JsonValue currency = limits.present("currency");
        if (currency != null && !currency.equals(new JsonString(Amounts.currency(facts)))) {
          return RuleResult.fail("The recipient is not paid in this currency.");
        }
        Reading<Double> most = new Limits(limits).number("max_amount");
        if (most instanceof Reading.Malformed<Double>
            || new Limits(limits).number("daily_cap") instanceof Reading.Malformed<Double>) {
          return RuleResult.fail("The recipient's limits are not numbers of at least 0.");
        }
        if (most instanceof Reading.Present<Double>(Double max)
            && !(Amounts.amount(facts) <= max)) {
          return RuleResult.fail(
              "The amount "
                  + Amounts.plain(Amounts.amount(facts))
                  + " is more than the recipient's max_amount "
                  + Amounts.plain(max)
                  + ".");
        }
      }
      return RuleResult.pass();
    }

    @Override
    public Reading<Double> cap(Facts facts) {
      Reading<Double> least = new Reading.Absent<>();
      for (JsonObject entry : entriesOf(facts)) {
        Reading<Double> cap = new Limits(entry.child("limits")).number("daily_cap");
        least =
            switch (cap) {
              case Reading.Absent<Double> _ -> least;
              case Reading.Malformed<Double> malformed -> malformed;
              case Reading.Present<Double> present -> lesser(least, present);
            };
      }
      return least;
    }

    private static Reading<Double> lesser(Reading<Double> known, Reading.Present<Double> next) {
      return switch (known) {
        case Reading.Absent<Double> _ -> next;
        case Reading.Malformed<Double> malformed -> malformed;
        case Reading.Present<Double> present -> present.value() <= next.value() ? present : next;
      };
    }
  }
}
