package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of an array. In an expression they may be {@code undefined}, although JSON has no
 * such value. All code that creates or reads arrays uses this class.
 */
final class Elements {
  /** Represents undefined inside an array; compared by identity and never returned. */
  private static final JsonValue HOLE = new JsonString("undefined");

  private Elements() {}

  @SuppressWarnings("ReferenceEquality") // a string "undefined" from outside is no hole
  static @Nullable JsonValue at(JsonArray array, int index) {
    JsonValue element = array.get(index);
    return element == HOLE ? null : element;
  }

  /** Collects the elements of a new array. */
  static final class Collector {
    private final List<JsonValue> elements = new ArrayList<>();

    void add(@Nullable JsonValue element) {
      elements.add(element == null ? HOLE : element);
    }

    int size() {
      return elements.size();
    }

    JsonArray array() {
      return new JsonArray(elements);
    }
  }
}
