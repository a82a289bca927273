package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Reads a limit in every place that may set it: the effective limits, and the params of held
 * capabilities (pack catalogue 0.12). Every value that is set must be well-formed, and the action
 * must satisfy all of them.
 */
public final class Readings {
  private Readings() {}

  /** Lists of texts, the limits' first; in params one text with commas is a list as well. */
  public static Reading<List<List<String>>> lists(
      Limits limits, List<JsonObject> params, String name) {
    return all(limits.list(name), params, name, Readings::list);
  }

  /** Numbers of at least 0, the limits' first. */
  public static Reading<List<Double>> numbers(Limits limits, List<JsonObject> params, String name) {
    return all(limits.number(name), params, name, (one, limit) -> new Limits(one).number(limit));
  }

  private static <T> Reading<List<T>> all(
      Reading<T> first,
      List<JsonObject> params,
      String name,
      BiFunction<JsonObject, String, Reading<T>> read) {
    var values = new ArrayList<T>();
    var readings = new ArrayList<Reading<T>>();
    readings.add(first);
    params.forEach(one -> readings.add(read.apply(one, name)));
    for (Reading<T> reading : readings) {
      switch (reading) {
        case Reading.Absent<T> _ -> {}
        case Reading.Malformed<T> _ -> {
          return new Reading.Malformed<>();
        }
        case Reading.Present<T>(T value) -> values.add(value);
      }
    }
    return values.isEmpty() ? new Reading.Absent<>() : new Reading.Present<>(List.copyOf(values));
  }

  /** Reads a list like {@link Limits#list}, or one text with elements separated by commas. */
  public static Reading<List<String>> list(JsonObject params, String name) {
    if (params.present(name) instanceof JsonString(String text)) {
      return new Reading.Present<>(
          Arrays.stream(text.split(",", -1))
              .map(Folding::trim)
              .filter(part -> !part.isEmpty())
              .toList());
    }
    return new Limits(params).list(name);
  }
}
