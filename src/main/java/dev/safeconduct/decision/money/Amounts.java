package dev.safeconduct.decision.money;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNumber;

/** The money a request is about. */
final class Amounts {
  private Amounts() {}

  /** In minor units; an amount that is missing is more than any cap. */
  static double amount(Facts facts) {
    return facts.context().present("amount") instanceof JsonNumber number
        ? number.value()
        : Double.POSITIVE_INFINITY;
  }

  static String currency(Facts facts) {
    return facts.context().string("currency").orElse("");
  }

  /** As JSON writes it. */
  static String plain(double amount) {
    return Json.text(new JsonNumber(amount));
  }
}
