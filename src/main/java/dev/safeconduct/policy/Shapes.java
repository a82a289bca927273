package dev.safeconduct.policy;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.expression.Numbers;
import dev.safeconduct.policy.expression.Strings;
import dev.safeconduct.policy.expression.Values;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a value that a JSON Schema has let pass may be (see {@code policy.schema}). */
final class Shapes {
  private static final double MOST_WHOLE = 9007199254740991.0;

  /** Longer lists of choices are not followed: looking a pack through must stay quick. */
  private static final int MOST_CHOICES = 200;

  private Shapes() {}

  /** The values the schema lets pass; where it says nothing, all. */
  static Values of(JsonObject schema) {
    List<String> types = types(schema);
    Values all = types.isEmpty() ? Values.ANY : Values.NONE;
    for (String type : types) {
      all = all.or(typed(type, schema, types.size() == 1));
    }
    Optional<JsonArray> choices = schema.array("enum");
    return choices.isPresent() && !choices.get().isEmpty() && choices.get().size() <= MOST_CHOICES
        ? oneOf(choices.get(), all)
        : all;
  }

  private static List<String> types(JsonObject schema) {
    return switch (schema.get("type")) {
      case JsonString(String type) -> List.of(type);
      case JsonArray list -> list.texts();
      case null, default -> List.of();
    };
  }

  private static Values oneOf(JsonArray choices, Values all) {
    Values listed = Values.NONE;
    for (JsonValue choice : choices) {
      listed = listed.or(Values.of(choice));
    }
    return all.and(listed);
  }

  /** {@code alone}: whether it is the only type, which lengths and counts then mean. */
  private static Values typed(String type, JsonObject schema, boolean alone) {
    return switch (type) {
      case "object" -> Values.of(object(schema, Map.of()));
      case "array" ->
          Values.of(
              new Values.Arrays(
                  schema.object("items").map(Shapes::of).orElse(null),
                  alone ? count(schema, "minItems", 0) : 0,
                  alone ? count(schema, "maxItems", Long.MAX_VALUE) : Long.MAX_VALUE));
      case "string" -> Values.of(alone ? text(schema) : Strings.ANY);
      case "integer" ->
          number(
              Math.max(bound(schema, "minimum", -MOST_WHOLE), -MOST_WHOLE),
              Math.min(bound(schema, "maximum", MOST_WHOLE), MOST_WHOLE),
              true);
      case "number" ->
          number(
              bound(schema, "minimum", Double.NEGATIVE_INFINITY),
              bound(schema, "maximum", Double.POSITIVE_INFINITY),
              false);
      case "boolean" -> Values.BOOLEAN;
      default -> Values.ANY;
    };
  }

  private static Values number(double least, double most, boolean whole) {
    return Numbers.between(least, most, whole).map(Values::of).orElse(Values.NONE);
  }

  /** Lengths count code points there and UTF-16 units here, of which each has one or two. */
  private static Strings text(JsonObject schema) {
    long least = count(schema, "minLength", 0);
    long most = count(schema, "maxLength", Long.MAX_VALUE);
    return Strings.between(
        schema.isTrue("x-not-blank") ? Math.max(1, least) : least,
        most > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * most);
  }

  /** The object's members; {@code further} are known beside the schema's own. */
  static Values.Objects object(JsonObject schema, Map<String, Values> further) {
    Map<String, Values> members = new HashMap<>(further);
    List<String> required = schema.array("required").map(JsonArray::texts).orElse(List.of());
    JsonObject properties = schema.object("properties").orElse(JsonObject.EMPTY);
    properties.forEach((name, property) -> {
      Values values = property instanceof JsonObject one ? of(one) : Values.ANY;
      members.put(name, required.contains(name) ? values : values.orUndefined());
    });
    JsonValue others = schema.get("additionalProperties");
    return new Values.Objects(
        members,
        others instanceof JsonObject one ? of(one).orUndefined() : null,
        !properties.isEmpty() && !(others instanceof JsonObject) && others != JsonBoolean.TRUE);
  }

  private static double bound(JsonObject schema, String keyword, double otherwise) {
    return schema.get(keyword) instanceof JsonNumber number ? number.value() : otherwise;
  }

  private static long count(JsonObject schema, String keyword, long otherwise) {
    return schema.get(keyword) instanceof JsonNumber number ? (long) number.value() : otherwise;
  }
}
