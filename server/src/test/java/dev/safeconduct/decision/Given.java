package dev.safeconduct.decision;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Facts for a test, written as JSON with single quotes. */
public final class Given {
  private Given() {}

  public static Facts facts(String context, String limits) {
    return facts(object(context), limits);
  }

  public static Facts facts(JsonObject context, String limits) {
    return new Facts(Capabilities.NONE, context, new Limits(object(limits)), List.of());
  }

  public static boolean passes(Validator validator, String context, String limits) {
    return validator.check(facts(context, limits)) instanceof RuleResult.Pass;
  }

  private static JsonObject object(String json) {
    try {
      return Json.parseObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new IllegalArgumentException(json, e);
    }
  }
}
