package dev.safeconduct.json;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The lines of a JSON text on which its members and elements begin, counted from 1. */
public final class JsonPlaces {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final Map<String, Integer> lines = new HashMap<>();

  private JsonPlaces() {}

  /** Reads the places of a text, up to where it is not valid JSON. */
  public static JsonPlaces of(String text) {
    var places = new JsonPlaces();
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      parser.nextToken();
      places.value(parser, "");
    } catch (JacksonException _) {
      // The places before the fault are known.
    }
    return places;
  }

  /**
   * Returns the line of a path, for example {@code evaluation_rules[2].condition}. A path that is
   * missing from the text has the line of the object that lacks it; empty if the root lacks it.
   */
  public OptionalInt line(String path) {
    String known = path;
    while (!known.isEmpty() && !lines.containsKey(known)) {
      known =
          known.substring(0, Math.max(0, Math.max(known.lastIndexOf('.'), known.lastIndexOf('['))));
    }
    Integer line = lines.get(known);
    return line == null || known.isEmpty() ? OptionalInt.empty() : OptionalInt.of(line);
  }

  private void value(JsonParser parser, String path) {
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        String member = path.isEmpty() ? name : path + "." + name;
        lines.putIfAbsent(member, parser.currentTokenLocation().getLineNr());
        parser.nextToken();
        value(parser, member);
      }
    } else if (parser.currentToken() == JsonToken.START_ARRAY) {
      for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
        String element = path + "[" + i + "]";
        lines.put(element, parser.currentTokenLocation().getLineNr());
        value(parser, element);
      }
    }
  }
}
