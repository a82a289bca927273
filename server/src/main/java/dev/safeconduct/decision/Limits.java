package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The effective limits of one pack: only the passport's container for it (pack catalogue 0.3). */
public record Limits(JsonObject values) {
  /** Returns the limit's value, or Java {@code null} if it is absent or JSON null. */
  public @Nullable JsonValue get(String name) {
    return values.present(name);
  }

  /** The first of the names (a limit and its aliases) that is present; else the first. */
  public String firstPresent(String name, String... aliases) {
    if (get(name) != null) {
      return name;
    }
    for (String alias : aliases) {
      if (get(alias) != null) {
        return alias;
      }
    }
    return name;
  }

  /** A demanding flag ({@code require_*}): off only when absent or exactly false. */
  public boolean demands(String flag) {
    JsonValue value = get(flag);
    return value != null && value != JsonBoolean.FALSE;
  }

  /** A granting flag ({@code allow_*}, {@code disable_*}): on only when exactly true. */
  public boolean grants(String flag) {
    return get(flag) == JsonBoolean.TRUE;
  }

  /** A list of texts; elements that are not strings never match and are left out. */
  public Reading<List<String>> list(String name) {
    return switch (get(name)) {
      case null -> new Reading.Absent<>();
      case JsonArray array -> new Reading.Present<>(array.texts());
      default -> new Reading.Malformed<>();
    };
  }

  /** A finite number that is at least 0. */
  public Reading<Double> number(String name) {
    return switch (get(name)) {
      case null -> new Reading.Absent<>();
      case JsonNumber number when number.value() >= 0 -> new Reading.Present<>(number.value());
      default -> new Reading.Malformed<>();
    };
  }
}
