package dev.safeconduct.policy.lint;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Computes the possible values that a JSON Schema accepts (see {@code policy.schema}). */
final class Shapes {
  private static final double MOST_WHOLE = 9007199254740991.0;

  /** Longer lists of choices are not tracked, because checking a pack must stay fast. */
  private static final int MOST_CHOICES = 200;

  private Shapes() {}

  /** Returns the values the schema accepts; all values for keywords that are absent. */
  static ValueSet of(JsonObject schema) {
    List<String> types = types(schema);
    ValueSet all = types.isEmpty() ? ValueSet.ANY : ValueSet.NONE;
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

  private static ValueSet oneOf(JsonArray choices, ValueSet all) {
    ValueSet listed = ValueSet.NONE;
    for (JsonValue choice : choices) {
      listed = listed.or(ValueSet.of(choice));
    }
    return all.and(listed);
  }

  /** {@code alone}: whether it is the only type, which lengths and counts then mean. */
  private static ValueSet typed(String type, JsonObject schema, boolean alone) {
    return switch (type) {
      case "object" -> ValueSet.of(object(schema, Map.of()));
      case "array" ->
          ValueSet.of(
              new ValueSet.Arrays(
                  schema.object("items").map(Shapes::of).orElse(null),
                  alone ? count(schema, "minItems", 0) : 0,
                  alone ? count(schema, "maxItems", Long.MAX_VALUE) : Long.MAX_VALUE));
      case "string" -> ValueSet.of(alone ? text(schema) : Strings.ANY);
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
      case "boolean" -> ValueSet.BOOLEAN;
      default -> ValueSet.ANY;
    };
  }

  private static ValueSet number(double least, double most, boolean whole) {
    return Numbers.between(least, most, whole).map(ValueSet::of).orElse(ValueSet.NONE);
  }

  /** Converts lengths from code points to UTF-16 units, of which each code point has one or two. */
  private static Strings text(JsonObject schema) {
    long least = count(schema, "minLength", 0);
    long most = count(schema, "maxLength", Long.MAX_VALUE);
    return Strings.between(
        schema.isTrue("x-not-blank") ? Math.max(1, least) : least,
        most > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * most);
  }

  /** Returns the object's members; {@code further} are known in addition to the schema's own. */
  static ValueSet.Objects object(JsonObject schema, Map<String, ValueSet> further) {
    Map<String, ValueSet> members = new HashMap<>(further);
    List<String> required = schema.array("required").map(JsonArray::texts).orElse(List.of());
    JsonObject properties = schema.child("properties");
    properties.forEach((name, property) -> {
      ValueSet values = property instanceof JsonObject one ? of(one) : ValueSet.ANY;
      members.put(name, required.contains(name) ? values : values.orUndefined());
    });
    JsonValue others = schema.get("additionalProperties");
    return new ValueSet.Objects(
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
