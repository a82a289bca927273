package dev.safeconduct.policy;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The limits an owner may set separately for each value of a context field, such as an age for each
 * type of report (pack catalogue 14).
 *
 * @param fields the context field by the name of each such limit
 * @param names every limit of the pack; a value with one of these names has no limits of its own
 */
public record PerValue(Map<String, String> fields, Set<String> names) {
  /** No limit may differ per value. */
  public static final PerValue NONE = new PerValue(Map.of(), Set.of());

  public PerValue {
    fields = Map.copyOf(fields);
    names = Set.copyOf(names);
  }

  /** Returns the limits for this context, with one value for each limit. */
  public JsonObject resolve(JsonObject limits, JsonObject context) {
    if (fields.isEmpty()) {
      return limits;
    }
    JsonObject.Builder resolved = limits.toBuilder();
    fields.forEach((limit, field) -> {
      String value = context.text(field);
      JsonValue found = find(limits, limit, value);
      if (found == null) {
        resolved.putNull(limit);
      } else {
        resolved.put(limit, found);
      }
    });
    return resolved.build();
  }

  private @Nullable JsonValue find(JsonObject limits, String limit, String value) {
    if (!names.contains(value)
        && limits.present(value) instanceof JsonObject own
        && own.present(limit) != null) {
      return own.present(limit);
    }
    JsonValue shared = limits.present(limit);
    return shared instanceof JsonObject byValue ? byValue.present(value) : shared;
  }
}
