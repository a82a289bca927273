package dev.safeconduct.documentation;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Says in words what a JSON Schema of the contract asks for. */
final class Schemas {
  private static final List<String> ALTERNATIVES = List.of("anyOf", "oneOf");

  private final JsonObject contract;
  private final Markdown markdown;

  Schemas(JsonObject contract, Markdown markdown) {
    this.contract = contract;
    this.markdown = markdown;
  }

  static List<JsonObject> objects(JsonArray array) {
    return array.elements().stream()
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .toList();
  }

  /** What a {@code $ref} names, or the object itself. */
  JsonObject resolved(JsonObject part) {
    Optional<String> reference = part.string("$ref");
    if (reference.isEmpty()) {
      return part;
    }
    JsonObject found = contract;
    for (String step : reference.get().substring(2).split("/", -1)) {
      found = found.object(step).orElseThrow();
    }
    return found;
  }

  /** The members of an object's schema, those of its parts included; the first mention counts. */
  List<Operation.Field> members(JsonObject schema) {
    Map<String, Operation.Field> members = new LinkedHashMap<>();
    collect(resolved(schema), members);
    return List.copyOf(members.values());
  }

  private void collect(JsonObject schema, Map<String, Operation.Field> members) {
    JsonArray required = schema.array("required").orElse(JsonArray.EMPTY);
    schema
        .object("properties")
        .orElse(JsonObject.EMPTY)
        .forEach((name, property) -> {
          JsonObject member = property instanceof JsonObject object ? object : JsonObject.EMPTY;
          String about =
              member
                  .string("description")
                  .or(() -> resolved(member).string("description"))
                  .map(markdown::html)
                  .orElse("");
          members.putIfAbsent(
              name,
              new Operation.Field(
                  name,
                  "body",
                  type(member),
                  required.elements().contains(new JsonString(name)),
                  about));
        });
    for (String combined : List.of("allOf", "anyOf", "oneOf")) {
      for (JsonObject part : objects(schema.array(combined).orElse(JsonArray.EMPTY))) {
        collect(resolved(part), members);
      }
    }
  }

  /** The type in words. */
  String type(JsonObject part) {
    JsonObject schema = resolved(part);
    if (schema.has("enum")) {
      return listed(schema.array("enum").orElse(JsonArray.EMPTY));
    }
    JsonValue constant = schema.get("const");
    if (constant != null) {
      return Json.text(constant);
    }
    for (String combined : ALTERNATIVES) {
      Optional<JsonArray> parts = schema.array(combined);
      if (parts.isPresent()) {
        return String.join(
            " or ", objects(parts.get()).stream().map(this::type).distinct().toList());
      }
    }
    JsonValue type = schema.get("type");
    if (type instanceof JsonArray several) {
      return String.join(" or ", several.elements().stream().map(Schemas::plain).toList());
    }
    String named = type == null ? "any" : plain(type);
    if (named.equals("array")) {
      return "list of " + schema.object("items").map(this::type).orElse("any");
    }
    return schema.string("format").map(format -> named + ", " + format).orElse(named);
  }

  private static String listed(JsonArray values) {
    var texts = new ArrayList<String>();
    values.forEach(value -> texts.add(plain(value)));
    return String.join(", ", texts);
  }

  private static String plain(JsonValue value) {
    return value instanceof JsonString(String text) ? text : Json.text(value);
  }
}
