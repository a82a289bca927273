package dev.safeconduct.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Cuts values out of the bytes of a JSON object, exactly as they were sent. */
public final class RawMember {
  private RawMember() {}

  /**
   * Returns the bytes of the member's value.
   *
   * @param object the text of an object that {@link Json#parseObject} has accepted
   */
  public static Optional<byte[]> of(byte[] object, String name) {
    try (JsonParser parser = Json.parser(object)) {
      parser.nextToken();
      for (String found = parser.nextName(); found != null; found = parser.nextName()) {
        parser.nextToken();
        int start = start(parser);
        int end = end(parser);
        if (found.equals(name)) {
          return Optional.of(Arrays.copyOfRange(object, start, end));
        }
      }
      return Optional.empty();
    }
  }

  /**
   * Returns the bytes of each element.
   *
   * @param array the text of an array, cut out of an object that {@link Json#parseObject} has
   *     accepted
   */
  public static List<byte[]> elements(byte[] array) {
    var elements = new ArrayList<byte[]>();
    try (JsonParser parser = Json.parser(array)) {
      parser.nextToken();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        int start = start(parser);
        elements.add(Arrays.copyOfRange(array, start, end(parser)));
      }
    }
    return elements;
  }

  private static int start(JsonParser parser) {
    return (int) parser.currentTokenLocation().getByteOffset();
  }

  /** Moves behind the value. */
  private static int end(JsonParser parser) {
    parser.skipChildren();
    parser.finishToken();
    return (int) parser.currentLocation().getByteOffset();
  }
}
