package dev.safeconduct.json;

import java.util.ArrayList;
import java.util.random.RandomGenerator;

/** Random documents with the texts and numbers that are hard to write. */
final class RandomJson {
  private static final String[] ODD = {
    "",
    "a",
    "\u0000",
    "\u001f",
    "\u007f",
    "\u2028",
    "€",
    "\ud83d\ude00",
    "\ufb33",
    "\"",
    "\\",
    "/",
    "ß"
  };
  private static final double[] NUMBERS = {
    0, -0.0, 1, -1, 1e21, 1e20, 1e-6, 1e-7, 0.1, 4.5, 9007199254740991d, 1.7976931348623157e308
  };

  private RandomJson() {}

  static JsonObject object(RandomGenerator random, int depth) {
    JsonObject.Builder object = JsonObject.builder();
    for (int i = random.nextInt(6); i > 0; i--) {
      object.put(text(random), value(random, depth - 1));
    }
    return object.build();
  }

  private static JsonValue value(RandomGenerator random, int depth) {
    return switch (random.nextInt(depth <= 0 ? 4 : 6)) {
      case 0 -> new JsonString(text(random));
      case 1 -> new JsonNumber(number(random));
      case 2 -> JsonBoolean.of(random.nextBoolean());
      case 3 -> JsonNull.NULL;
      case 4 -> object(random, depth);
      default -> {
        var elements = new ArrayList<JsonValue>();
        for (int i = random.nextInt(4); i > 0; i--) {
          elements.add(value(random, depth - 1));
        }
        yield new JsonArray(elements);
      }
    };
  }

  private static String text(RandomGenerator random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i >= 0; i--) {
      text.append(ODD[random.nextInt(ODD.length)]);
    }
    return text.toString();
  }

  private static double number(RandomGenerator random) {
    return random.nextBoolean()
        ? NUMBERS[random.nextInt(NUMBERS.length)]
        : random.nextDouble(-1e9, 1e9);
  }
}
