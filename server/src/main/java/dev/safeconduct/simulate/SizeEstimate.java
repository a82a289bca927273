package dev.safeconduct.simulate;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;

/** About how much memory a value takes, in characters. */
final class SizeEstimate {
  private static final int NODE = 16;
  private static final long TOO_HEAVY = 64L << 20;

  private SizeEstimate() {}

  /** The weight; counting stops where it is far too heavy. */
  static long of(JsonValue value) {
    return of(value, TOO_HEAVY);
  }

  /** The weight; at most a little more than {@code most}, where counting stops. */
  private static long of(JsonValue value, long most) {
    long weight = NODE;
    switch (value) {
      case JsonString text -> weight += text.value().length();
      case JsonArray array -> {
        for (JsonValue element : array) {
          weight += of(element, most - weight);
          if (weight > most) {
            return weight;
          }
        }
      }
      case JsonObject object -> {
        for (String name : object.names()) {
          JsonValue member = object.get(name);
          weight += name.length() + (member == null ? 0 : of(member, most - weight));
          if (weight > most) {
            return weight;
          }
        }
      }
      default -> {}
    }
    return weight;
  }
}
