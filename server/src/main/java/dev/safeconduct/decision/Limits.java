package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The effective limits of one pack: only the passport's container for it (pack catalogue 0.3). */
public final class Limits {
  private final JsonObject values;

  /** What was compiled of the values, by name; replaced by a larger map, never changed. */
  private volatile Map<String, Object> compiled = Map.of();

  public Limits(JsonObject values) {
    this.values = values;
  }

  public JsonObject values() {
    return values;
  }

  /**
   * Returns what a rule derives from the limits alone, computed once for these limits and used by
   * all decisions.
   *
   * @param name names the result among all that are derived from limits
   */
  @SuppressWarnings("unchecked") // one name is always used with one type
  public <T> T compiled(String name, Function<? super Limits, T> compile) {
    Object known = compiled.get(name);
    if (known == null) {
      known = compile.apply(this);
      keep(name, known);
    }
    return (T) known;
  }

  private synchronized void keep(String name, Object result) {
    var all = new HashMap<>(compiled);
    all.put(name, result);
    compiled = Map.copyOf(all);
  }

  /** Returns about how many bytes all that can be compiled of the limits takes. */
  int compiledSize() {
    return Math.clamp(size(values), 512, 1 << 24);
  }

  private static long size(@Nullable JsonValue value) {
    long size = 64;
    switch (value) {
      case JsonString(String text) -> {
        size += 4L * text.length();
        // A pattern becomes a table of a kilobyte.
        size += text.indexOf('*') >= 0 || text.indexOf('?') >= 0 ? 1200 : 0;
      }
      case JsonArray array -> {
        for (JsonValue element : array) {
          size += size(element);
        }
      }
      case JsonObject object -> {
        for (String name : object.names()) {
          size += size(object.get(name));
        }
      }
      case null, default -> {}
    }
    return size;
  }

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

  /**
   * A list of texts in the form in which a rule compares it, compiled once.
   *
   * @param use names the form among all that are derived from limits
   */
  public <T> Reading<T> list(
      String name, String use, Function<? super List<String>, ? extends T> form) {
    return compiled(use, limits -> limits.list(name).map(form));
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
