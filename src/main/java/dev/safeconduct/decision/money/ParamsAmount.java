package dev.safeconduct.decision.money;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;

/** The cap a capability's own params set on one payment (pack catalogue 0.12). */
final class ParamsAmount {
  private ParamsAmount() {}

  static Verdict check(Facts facts) {
    double amount = Amounts.amount(facts);
    for (JsonObject params : facts.params()) {
      if (!applies(params, Amounts.currency(facts))) {
        continue;
      }
      switch (new Limits(params).number("max_amount")) {
        case Reading.Absent<Double> _ -> {}
        case Reading.Malformed<Double> _ -> {
          return Verdict.fail("The capability's max_amount is not a number of at least 0.");
        }
        case Reading.Present<Double>(Double max) -> {
          if (!(amount <= max)) {
            return Verdict.fail(
                "The amount "
                    + Amounts.plain(amount)
                    + " is more than the capability's max_amount "
                    + Amounts.plain(max)
                    + ".");
          }
        }
      }
    }
    return Verdict.pass();
  }

  /** A currency that is no text cannot lift the cap. */
  private static boolean applies(JsonObject params, String currency) {
    return !(params.present("currency") instanceof JsonString(String only))
        || only.equals(currency);
  }
}
