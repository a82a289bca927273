package dev.safeconduct.policy.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.problem.PolicyFault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Compiles schemas, collecting every fault with its place. */
final class SchemaReader {
  private static final Set<String> KNOWN =
      Set.of(
          "$schema",
          "title",
          "description",
          "default",
          "examples",
          "type",
          "enum",
          "properties",
          "required",
          "additionalProperties",
          "items",
          "minLength",
          "maxLength",
          "minItems",
          "maxItems",
          "minProperties",
          "maxProperties",
          "minimum",
          "maximum",
          "pattern",
          "format",
          "x-format",
          "x-aliases",
          "x-sets",
          "x-not-blank",
          "x-no-nul",
          "x-conditions");

  private final Formats formats;
  private final Consumer<PolicyFault> faults;

  SchemaReader(Formats formats, Consumer<PolicyFault> faults) {
    this.formats = formats;
    this.faults = faults;
  }

  SchemaNode read(String path, JsonObject schema) {
    for (String keyword : schema.names()) {
      if (!KNOWN.contains(keyword)) {
        PolicyFault fault =
            PolicyFault.at(path, "the schema keyword \"" + keyword + "\" is not supported");
        faults.accept(Spelling.nearest(keyword, KNOWN).map(fault::suggesting).orElse(fault));
      }
    }
    List<JsonType> types = types(path, schema);
    return new SchemaNode(
        types,
        schema.array("enum").map(JsonArray::elements).orElse(List.of()),
        properties(path, schema),
        schema.array("required").map(list -> list.strings().toList()).orElse(List.of()),
        nested(path, schema, "additionalProperties"),
        nested(path, schema, "items"),
        range(path, schema, types),
        number(path, schema, "minimum", Double.NEGATIVE_INFINITY),
        number(path, schema, "maximum", Double.POSITIVE_INFINITY),
        pattern(path, schema),
        schema.isTrue("x-not-blank"),
        schema.isTrue("x-no-nul"),
        form(path, schema));
  }

  private List<JsonType> types(String path, JsonObject schema) {
    JsonValue type = schema.get("type");
    if (type == null) {
      return List.of();
    }
    List<JsonValue> names = type instanceof JsonArray list ? list.elements() : List.of(type);
    List<JsonType> known =
        names.stream()
            .map(name ->
                name instanceof JsonString text
                    ? JsonType.parse(text.value())
                    : Optional.<JsonType>empty())
            .flatMap(Optional::stream)
            .toList();
    if (known.isEmpty() || known.size() < names.size()) {
      fault(path + ".type", "must be one of object, array, string, integer, number, boolean");
    }
    return known;
  }

  private Map<String, SchemaNode> properties(String path, JsonObject schema) {
    var nodes = new LinkedHashMap<String, SchemaNode>();
    schema
        .object("properties")
        .ifPresent(properties ->
            properties.forEach((name, value) -> {
              if (value instanceof JsonObject property) {
                nodes.put(name, read(path + ".properties." + name, property));
              } else {
                fault(path + ".properties." + name, "must be a schema");
              }
            }));
    return nodes;
  }

  private Optional<SchemaNode> nested(String path, JsonObject schema, String keyword) {
    JsonValue value = schema.get(keyword);
    if (value == null || value instanceof JsonBoolean) {
      // Members nobody described are ignored whatever a schema says of them (catalogue 0.5).
      return Optional.empty();
    }
    if (value instanceof JsonObject object) {
      return Optional.of(read(path + "." + keyword, object));
    }
    fault(
        path + "." + keyword,
        "must be a schema (unknown context members are ignored, never refused)");
    return Optional.empty();
  }

  private SchemaNode.Range range(String path, JsonObject schema, List<JsonType> types) {
    String unit =
        switch (types.isEmpty() ? JsonType.STRING : types.getFirst()) {
          case ARRAY -> "Items";
          case OBJECT -> "Properties";
          case STRING, INTEGER, NUMBER, BOOLEAN -> "Length";
        };
    double min = number(path, schema, "min" + unit, 0);
    double max = number(path, schema, "max" + unit, Long.MAX_VALUE);
    return new SchemaNode.Range((long) min, (long) max);
  }

  private double number(String path, JsonObject schema, String keyword, double otherwise) {
    JsonValue value = schema.get(keyword);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof JsonNumber number) {
      return number.value();
    }
    fault(path + "." + keyword, "must be a number");
    return otherwise;
  }

  private Optional<Pattern> pattern(String path, JsonObject schema) {
    Optional<String> text = schema.string("pattern");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    if (RepeatCounts.product(text.get()) > RepeatCounts.MOST) {
      fault(path + ".pattern", "repeats too much when its counts are multiplied out");
      return Optional.empty();
    }
    try {
      // RE2: linear in the text whatever the pattern, because packs may come from callers.
      return Optional.of(Pattern.compile(text.get()));
    } catch (PatternSyntaxException e) {
      fault(path + ".pattern", e.getDescription());
      return Optional.empty();
    }
  }

  private Optional<SchemaNode.Form> form(String path, JsonObject schema) {
    Optional<String> name = schema.string("x-format").or(() -> schema.string("format"));
    return name.flatMap(known -> {
      var check = formats.named(known);
      if (check.isEmpty()) {
        fault(path, "the format \"" + known + "\" is not known");
      }
      return check.map(predicate -> new SchemaNode.Form("a valid " + known, predicate));
    });
  }

  private void fault(String field, String message) {
    faults.accept(PolicyFault.at(field, message));
  }
}
