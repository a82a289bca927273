package dev.safeconduct.decision.url;

import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Calls validators by name, with limits and context as JSON in which ' stands for ". */
final class ValidatorCalls {
  private ValidatorCalls() {}

  static RuleResult call(String validator, String limits, String context) {
    return call(validator, object(limits), object(context));
  }

  static RuleResult call(String validator, JsonObject limits, JsonObject context) {
    return Objects.requireNonNull(UrlValidators.all().get(validator))
        .check(new Facts(Capabilities.NONE, context, new Limits(limits), List.of()));
  }

  static boolean passes(String validator, String limits, String context) {
    return call(validator, limits, context).equals(RuleResult.pass());
  }

  static boolean passes(String validator, JsonObject limits, String context) {
    return call(validator, limits, object(context)).equals(RuleResult.pass());
  }

  static boolean passes(String validator, JsonObject limits, JsonObject context) {
    return call(validator, limits, context).equals(RuleResult.pass());
  }

  static JsonObject object(String text) {
    try {
      return Json.parseObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
