package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Random data under fixed names, a good part of it missing or of a wrong type. */
public final class RandomFacts {
  static final List<String> NUMBERS =
      List.of("context.n1", "context.n2", "limits.n1", "limits.n2", "limits.gone");
  static final List<String> TEXTS =
      List.of("context.s1", "context.s2", "context.s3", "limits.s1", "limits.gone");
  static final List<String> OBJECTS = List.of("context.o1", "limits.o1", "context", "limits.gone");

  private static final List<String> WORDS =
      List.of(
          "",
          "a",
          "b",
          "ab",
          "a-b",
          "*",
          "a*b*",
          "$&",
          "'",
          "\\",
          "constructor",
          "t",
          "length",
          " a ",
          "\u00a0b\ufeff",
          "\u200ba\u180e",
          "Straße",
          "İ",
          "ΑΣ",
          "😀",
          "x\n\u2028",
          "toString");

  private final Random random;

  public RandomFacts(Random random) {
    this.random = random;
  }

  public JsonObject root() {
    var root = JsonObject.builder();
    mostly(root, "n1", this::number);
    mostly(root, "n2", this::number);
    mostly(root, "s1", this::text);
    mostly(root, "s2", this::text);
    mostly(root, "s3", this::text);
    mostly(root, "b1", () -> JsonBoolean.of(random.nextBoolean()));
    mostly(root, "l1", () -> list(this::text));
    mostly(root, "l2", () -> list(this::number));
    mostly(root, "l3", () -> list(() -> object(1)));
    mostly(root, "o1", () -> object(1));
    mostly(root, "t", this::text);
    return root.build();
  }

  private JsonObject object(int depth) {
    var object = JsonObject.builder();
    mostly(object, "t", this::text);
    mostly(object, "constructor", this::text);
    if (depth > 0) {
      mostly(object, "deep", () -> object(depth - 1));
    }
    return object.build();
  }

  private void mostly(JsonObject.Builder object, String name, Supplier<JsonValue> value) {
    if (random.nextInt(9) != 0) {
      object.put(name, random.nextInt(12) == 0 ? odd() : value.get());
    }
  }

  /** Neither a number nor a string, so that the typing of {@link RandomExpression} holds. */
  private JsonValue odd() {
    return switch (random.nextInt(4)) {
      case 0 -> JsonNull.NULL;
      case 1 -> JsonBoolean.of(random.nextBoolean());
      case 2 -> JsonArray.EMPTY;
      default -> JsonObject.EMPTY;
    };
  }

  private JsonNumber number() {
    return new JsonNumber(
        switch (random.nextInt(4)) {
          case 0 -> 0;
          case 1 -> random.nextInt(-3, 12);
          case 2 -> random.nextInt(-20, 20) / 4.0;
          default -> random.nextInt(1000);
        });
  }

  private JsonString text() {
    return new JsonString(WORDS.get(random.nextInt(WORDS.size())));
  }

  private JsonArray list(Supplier<JsonValue> element) {
    var elements = new ArrayList<JsonValue>();
    for (int i = random.nextInt(5); i > 0; i--) {
      elements.add(random.nextInt(15) == 0 ? odd() : element.get());
    }
    return new JsonArray(elements);
  }
}
