package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;

/** Reads the money amount of a request. */
final class Amounts {
  private Amounts() {}

  /** Returns the amount in minor units. A missing amount exceeds every cap. */
  static double amount(Facts facts) {
    return facts.context().present("amount") instanceof JsonNumber number
        ? number.value()
        : Double.POSITIVE_INFINITY;
  }

  static String currency(Facts facts) {
    return facts.context().text("currency");
  }

  /** As JSON writes it. */
  static String plain(double amount) {
    return Json.text(new JsonNumber(amount));
  }

  /** The cap on one payment from a capability's own params (pack catalogue 0.12). */
  static RuleResult cap(Facts facts) {
    double amount = amount(facts);
    for (JsonObject params : facts.params()) {
      if (!applies(params, currency(facts))) {
        continue;
      }
      switch (new Limits(params).number("max_amount")) {
        case Reading.Absent<Double> _ -> {}
        case Reading.Malformed<Double> _ -> {
          return RuleResult.fail("The capability's max_amount is not a number of at least 0.");
        }
        case Reading.Present<Double>(Double max) -> {
          if (!(amount <= max)) {
            return RuleResult.fail(
                "The amount "
                    + plain(amount)
                    + " is more than the capability's max_amount "
                    + plain(max)
                    + ".");
          }
        }
      }
    }
    return RuleResult.pass();
  }

  /** Whether the cap applies. It also applies if its currency is not a text. */
  private static boolean applies(JsonObject params, String currency) {
    return !(params.present("currency") instanceof JsonString(String only))
        || only.equals(currency);
  }
}
