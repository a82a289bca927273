package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Validator;
import java.util.Map;

/** The named validators of the finance packs. */
public final class MoneyValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validateParamsAmount", ParamsAmount::check,
          "validateChargeCountry", ChargeRules::country,
          "validateChargeCategories", ChargeRules::categories,
          "validatePayoutRecipient", PayoutRecipients::allowed,
          "validatePayoutRecipientLimits", new PayoutRecipientLimits(),
          "validateExchangeStatus", ExchangeFeeds::status,
          "validateMarketHours", ExchangeFeeds::marketHours);

  private MoneyValidators() {}

  /** Validators by the name a pack's rule gives. */
  public static Map<String, Validator> all() {
    return ALL;
  }
}
