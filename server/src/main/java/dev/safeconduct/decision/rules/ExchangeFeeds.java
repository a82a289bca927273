package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;

/**
 * Rules for the exchange feeds {@code exchange_status} and {@code market_hours}. Each feed is an
 * object from an exchange's id to one word. A value that is not reported is no reason to deny.
 */
final class ExchangeFeeds {
  private ExchangeFeeds() {}

  static RuleResult status(Facts facts) {
    return reported(facts, "exchange_status", "online")
        ? RuleResult.pass()
        : RuleResult.fail("The exchange " + Excerpt.of(exchange(facts)) + " is reported offline.");
  }

  /** Only a purchase requires an open market. */
  static RuleResult marketHours(Facts facts) {
    return !facts.context().string("side").orElse("buy").equals("buy")
            || reported(facts, "market_hours", "open")
        ? RuleResult.pass()
        : RuleResult.fail(
            "The market at " + Excerpt.of(exchange(facts)) + " is reported closed for buying.");
  }

  private static boolean reported(Facts facts, String feed, String good) {
    JsonValue word = facts.feeds().named(feed).present(exchange(facts));
    return word == null || word.equals(new JsonString(good));
  }

  private static String exchange(Facts facts) {
    return facts.context().text("exchange_id");
  }
}
