package dev.safeconduct.decision;

import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that a check read: some members of an object. They are selected only when they are
 * read.
 *
 * @param from the object
 * @param names of the members
 * @param absentToo whether an absent member is included, as null
 */
public record EvaluatedInputs(JsonObject from, List<String> names, boolean absentToo) {
  public static final EvaluatedInputs NOTHING =
      new EvaluatedInputs(JsonObject.EMPTY, List.of(), false);

  /** Returns inputs with all members of the object. */
  public static EvaluatedInputs all(JsonObject object) {
    return new EvaluatedInputs(object, List.copyOf(object.names()), false);
  }

  /** Returns the member's value, or Java {@code null} if the member is not included. */
  public @Nullable JsonValue value(String name) {
    JsonValue value = from.get(name);
    return value == null && absentToo ? JsonNull.NULL : value;
  }

  /** Returns an object with only these members. */
  public JsonObject picked() {
    if (names.isEmpty()) {
      return JsonObject.EMPTY;
    }
    JsonObject.Builder picked = JsonObject.builder();
    for (String name : names) {
      JsonValue value = value(name);
      if (value != null) {
        picked.put(name, value);
      }
    }
    return picked.build();
  }
}
