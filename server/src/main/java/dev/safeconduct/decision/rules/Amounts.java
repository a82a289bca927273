package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNumber;

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
}
