package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the single container of a passport's limits that a pack reads (pack catalogue 0.3). */
final class EffectiveLimits {
  private EffectiveLimits() {}

  static Limits of(JsonObject limits, List<String> containers) {
    for (String key : containers) {
      JsonValue hit = limits.present(key);
      if (hit == null && key.indexOf('.') >= 0) {
        hit = walk(limits, key);
      }
      if (hit != null) {
        return new Limits(hit instanceof JsonObject object ? object : JsonObject.EMPTY);
      }
    }
    return new Limits(limits);
  }

  private static @Nullable JsonValue walk(JsonObject limits, String key) {
    JsonValue at = limits;
    int start = 0;
    while (start <= key.length()) {
      int dot = key.indexOf('.', start);
      String part = key.substring(start, dot < 0 ? key.length() : dot);
      at = at instanceof JsonObject object ? object.present(part) : null;
      if (at == null || dot < 0) {
        return at;
      }
      start = dot + 1;
    }
    return null;
  }
}
