package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** Facts with given data, one held capability, one covered region and a few counters. */
public record FixedFacts(JsonObject passport, JsonObject context, JsonObject limits)
    implements FactSource, State {

  static FixedFacts of(JsonObject group) {
    return new FixedFacts(
        group.object("passport").orElse(JsonObject.EMPTY),
        group.object("context").orElse(JsonObject.EMPTY),
        group.object("limits").orElse(JsonObject.EMPTY));
  }

  /** What the expression yields with these facts. */
  public @Nullable JsonValue evaluate(String source) throws ExpressionFault, EvaluationFault {
    return Expression.compile(source).evaluate(this, new Budget(() -> 0));
  }

  /** An element of an array that an expression made; Java {@code null} for undefined. */
  public static @Nullable JsonValue element(JsonArray array, int index) {
    return Elements.at(array, index);
  }

  @Override
  public JsonObject policy() {
    return JsonObject.builder().put("id", "test.pack.v1").put("min_assurance", "L2").build();
  }

  @Override
  public State state() {
    return this;
  }

  @Override
  public double now() {
    return 1_769_846_400;
  }

  @Override
  public boolean hasCapability(String id) {
    return id.equals("data.export");
  }

  @Override
  public boolean regionCovered(String region) {
    return region.startsWith("US");
  }

  @Override
  public double daySum(String name, String key) {
    return name.equals("volume") && key.equals("EUR") ? 90 : 0;
  }

  @Override
  public double dayCount(String name) {
    return name.equals("not finite") ? Double.NaN : 3;
  }

  @Override
  public double windowCount(String name, int seconds, String key) {
    return switch (name + "/" + seconds + "/" + key) {
      case "calls/60/" -> 7;
      case "reads/3600/e1" -> 2;
      default -> 0;
    };
  }

  @Override
  public boolean seenKey(String key) {
    return key.equals("seen-1");
  }

  @Override
  public boolean setHas(String set, String member) {
    return set.equals("clients") && member.equals("c1");
  }
}
