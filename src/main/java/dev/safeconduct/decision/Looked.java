package dev.safeconduct.decision;

import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a check looked at: some members of an object, which are picked out only when somebody reads
 * them.
 *
 * @param from the object
 * @param names of the members
 * @param absentToo whether a member that is not there counts, as null
 */
public record Looked(JsonObject from, List<String> names, boolean absentToo) {
  public static final Looked NOTHING = new Looked(JsonObject.EMPTY, List.of(), false);

  /** All members of the object. */
  public static Looked all(JsonObject object) {
    return new Looked(object, List.copyOf(object.names()), false);
  }

  /** The member's value; Java {@code null} when it does not count. */
  public @Nullable JsonValue value(String name) {
    JsonValue value = from.get(name);
    return value == null && absentToo ? JsonNull.NULL : value;
  }

  /** An object of these members alone. */
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
