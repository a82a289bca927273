package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.text.Folding;
import java.util.Arrays;
import java.util.List;

/** Reads the params of a held capability (pack catalogue 0.12). */
public final class Params {
  private Params() {}

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
