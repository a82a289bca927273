package dev.safeconduct.decision.money;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;

/**
 * What the operator reports of exchanges: the feeds {@code exchange_status} and {@code
 * market_hours}, objects from an exchange's id to one word. What is not reported is no reason to
 * deny.
 */
final class ExchangeFeeds {
  private ExchangeFeeds() {}

  static Verdict status(Facts facts) {
    return reported(facts, "exchange_status", "online")
        ? Verdict.pass()
        : Verdict.fail("The exchange " + Excerpt.of(exchange(facts)) + " is reported offline.");
  }

  /** Only buying waits for an open market. */
  static Verdict marketHours(Facts facts) {
    return !facts.context().string("side").orElse("buy").equals("buy")
            || reported(facts, "market_hours", "open")
        ? Verdict.pass()
        : Verdict.fail(
            "The market at " + Excerpt.of(exchange(facts)) + " is reported closed for buying.");
  }

  private static boolean reported(Facts facts, String feed, String good) {
    JsonValue word = facts.feeds().named(feed).present(exchange(facts));
    return word == null || word.equals(new JsonString(good));
  }

  private static String exchange(Facts facts) {
    return facts.context().string("exchange_id").orElse("");
  }
}
