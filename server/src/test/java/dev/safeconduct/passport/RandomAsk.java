package dev.safeconduct.passport;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/**
 * Makes up what an instance might ask for: parts of other passports, and parts changed a little.
 */
final class RandomAsk {
  private static final List<String> REGIONS = List.of("US", "US-TX", "DE", "EU", "CA", "global");
  private static final List<String> ENDINGS = List.of("/x", "/*", "/**", " x", "-x", ".x", "*", "");
  private static final List<String> BEGINNINGS = List.of("x.", "*.", "/x", "x/", "");

  private final Random random;
  private final List<JsonObject> donors;

  RandomAsk(Random random, List<JsonObject> donors) {
    this.random = random;
    this.donors = donors;
  }

  /** A body for an instance of the passport. */
  JsonObject of(JsonObject passport) {
    JsonObject.Builder ask = JsonObject.builder().put("name", "Instance");
    if (one(3) > 0) {
      JsonObject limits = JsonObject.EMPTY;
      for (int i = one(3); i >= 0; i--) {
        limits = merged(limits, part(donor(passport).object("limits").orElse(JsonObject.EMPTY)));
      }
      ask.put("limits", limits);
    }
    if (one(3) == 0) {
      ask.put("capabilities", capabilities(passport));
    }
    if (one(4) == 0) {
      ask.put("regions", JsonArray.ofStrings(some(REGIONS)));
    }
    if (one(4) == 0) {
      ask.put("mcp", mcp(donor(passport)));
    }
    if (one(6) == 0) {
      ask.put("expires_at", "20" + (26 + one(4)) + "-11-21T12:00:0" + one(3) + "Z");
    }
    return ask.build();
  }

  /** Another passport of the kind, or the same one. */
  private JsonObject donor(JsonObject passport) {
    return one(2) == 0 ? passport : donors.get(one(donors.size()));
  }

  /** One way through the object to a value somewhere in it, which may be changed. */
  private JsonObject part(JsonObject whole) {
    if (whole.isEmpty()) {
      return JsonObject.EMPTY;
    }
    String name = List.copyOf(whole.names()).get(one(whole.size()));
    JsonValue value = Objects.requireNonNull(whole.get(name));
    boolean further = value instanceof JsonObject && one(8) > 0;
    return JsonObject.EMPTY.with(
        name, further ? part((JsonObject) value) : one(3) == 0 ? value : changed(value));
  }

  private JsonValue changed(JsonValue value) {
    return switch (value) {
      case JsonNumber(double number, _) ->
          new JsonNumber(
              switch (one(5)) {
                case 0 -> 0;
                case 1 -> Math.max(0, number - 1);
                case 2 -> Math.floor(number / 2);
                case 3 -> number + 1;
                default -> number * 2;
              });
      case JsonBoolean flag -> JsonBoolean.of(!flag.value());
      case JsonString(String text) -> new JsonString(changed(text));
      case JsonArray array -> changed(array);
      case JsonObject object -> one(4) == 0 ? JsonObject.EMPTY : part(object);
      case JsonNull _ -> JsonBoolean.FALSE;
      case JsonOverflow _ -> value;
    };
  }

  private JsonValue changed(JsonArray array) {
    var elements = new ArrayList<>(array.elements());
    if (one(5) == 0) {
      return JsonNull.NULL;
    }
    if (!elements.isEmpty() && one(2) == 0) {
      elements.remove(one(elements.size()));
    }
    if (!elements.isEmpty() && one(2) == 0) {
      int at = one(elements.size());
      elements.set(at, changed(elements.get(at)));
    }
    if (one(4) == 0) {
      elements.add(new JsonString(one(2) == 0 ? "*" : "added"));
    }
    return new JsonArray(elements);
  }

  private String changed(String text) {
    return BEGINNINGS.get(one(BEGINNINGS.size())) + text + ENDINGS.get(one(ENDINGS.size()));
  }

  private JsonArray capabilities(JsonObject passport) {
    var kept = new ArrayList<JsonValue>();
    for (JsonValue each : passport.array("capabilities").orElse(JsonArray.EMPTY)) {
      if (one(4) > 0) {
        JsonObject params = part(params(donor(passport)));
        kept.add(
            each instanceof JsonObject capability && one(2) == 0
                ? capability.with("params", params)
                : each);
      }
    }
    return new JsonArray(kept);
  }

  private JsonObject params(JsonObject passport) {
    JsonArray held = passport.array("capabilities").orElse(JsonArray.EMPTY);
    return held.isEmpty() || !(held.get(one(held.size())) instanceof JsonObject capability)
        ? JsonObject.EMPTY
        : capability.object("params").orElse(JsonObject.EMPTY);
  }

  private JsonObject mcp(JsonObject passport) {
    JsonObject mcp = passport.object("mcp").orElse(JsonObject.EMPTY);
    JsonObject.Builder asked = JsonObject.builder();
    for (String list : List.of("servers", "tools")) {
      asked.put(list, JsonArray.ofStrings(some(mcp.array(list).orElse(JsonArray.EMPTY).texts())));
    }
    return asked.build();
  }

  private List<String> some(List<String> all) {
    return all.stream().filter(_ -> one(2) == 0).toList();
  }

  private static JsonObject merged(JsonObject one, JsonObject other) {
    JsonObject result = one;
    for (String name : other.names()) {
      JsonValue value = Objects.requireNonNull(other.get(name));
      result =
          result.with(
              name,
              value instanceof JsonObject inner && result.get(name) instanceof JsonObject there
                  ? merged(there, inner)
                  : value);
    }
    return result;
  }

  private int one(int bound) {
    return random.nextInt(bound);
  }
}
