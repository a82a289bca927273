package dev.safeconduct.policy.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.text.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Compiles schemas and collects every fault with its place. */
final class SchemaReader {
  private static final Set<String> KNOWN =
      Words.set(
          """
          $schema title description default examples type enum properties required
          additionalProperties items minLength maxLength minItems maxItems minProperties
          maxProperties minimum maximum pattern format x-format x-aliases x-sets x-not-blank
          x-no-nul x-together x-secret x-conditions
          """);

  /** The most instructions of all patterns. */
  private static final long MOST = 50_000;

  private final StringFormats formats;
  private final Consumer<PolicyFault> faults;

  /** The instructions of the patterns up to now. */
  private long patterns;

  SchemaReader(StringFormats formats, Consumer<PolicyFault> faults) {
    this.formats = formats;
    this.faults = faults;
  }

  /** Returns about how many bytes the patterns take. */
  long patternBytes() {
    return patterns * PatternSize.BYTES;
  }

  SchemaNode read(String path, JsonObject schema) {
    for (String keyword : schema.names()) {
      if (!KNOWN.contains(keyword)) {
        PolicyFault fault =
            PolicyFault.at(path, "the schema keyword \"" + keyword + "\" is not supported");
        faults.accept(Spelling.nearest(keyword, KNOWN).map(fault::suggesting).orElse(fault));
      }
    }
    // Other classes read these keywords; here only their types are checked.
    texts(path, schema, "x-aliases");
    of(path, schema, "x-sets", JsonObject.class, "an object");
    of(path, schema, "x-conditions", JsonArray.class, "a list of conditions");
    return new SchemaNode(
        types(path, schema),
        choices(path, schema),
        properties(path, schema),
        texts(path, schema, "required"),
        nested(path, schema, "additionalProperties"),
        nested(path, schema, "items"),
        range(path, schema, "Length"),
        range(path, schema, "Items"),
        range(path, schema, "Properties"),
        number(path, schema, "minimum", Double.NEGATIVE_INFINITY),
        number(path, schema, "maximum", Double.POSITIVE_INFINITY),
        pattern(path, schema),
        flag(path, schema, "x-not-blank"),
        flag(path, schema, "x-no-nul"),
        form(path, schema),
        together(path, schema),
        of(path, schema, "x-secret", JsonBoolean.class, "true or false").map(JsonBoolean::value));
  }

  private Optional<SchemaNode.Together> together(String path, JsonObject schema) {
    return of(path, schema, "x-together", JsonObject.class, "an object")
        .map(together -> {
          String inside = path + ".x-together";
          List<String> fields = texts(inside, together, "fields");
          double most = number(inside, together, "maxLength", -1);
          if (fields.isEmpty() || most < 0) {
            fault(inside, "must name fields and a maxLength");
          }
          return new SchemaNode.Together(fields, (long) most);
        });
  }

  private List<SchemaNode.JsonType> types(String path, JsonObject schema) {
    JsonValue type = schema.get("type");
    if (type == null) {
      return List.of();
    }
    List<JsonValue> names = type instanceof JsonArray list ? list.elements() : List.of(type);
    List<SchemaNode.JsonType> known =
        names.stream()
            .map(name ->
                name instanceof JsonString text
                    ? SchemaNode.JsonType.parse(text.value())
                    : Optional.<SchemaNode.JsonType>empty())
            .flatMap(Optional::stream)
            .toList();
    if (known.isEmpty() || known.size() < names.size()) {
      fault(path + ".type", "must be one of object, array, string, integer, number, boolean");
    }
    return known;
  }

  private Map<String, SchemaNode> properties(String path, JsonObject schema) {
    var nodes = new LinkedHashMap<String, SchemaNode>();
    of(path, schema, "properties", JsonObject.class, "an object of schemas")
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
      // Undescribed members are ignored, whatever a schema says about them (catalogue 0.5).
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

  private SchemaNode.Range range(String path, JsonObject schema, String unit) {
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
    Optional<String> text = text(path, schema, "pattern");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    patterns += PatternSize.of(text.get());
    if (patterns > MOST) {
      fault(
          path + ".pattern",
          "repeats too much when its counts and those of the patterns before it are multiplied"
              + " out");
      return Optional.empty();
    }
    if (PatternSize.mayNeverEnd(text.get())) {
      fault(
          path + ".pattern",
          "ignores case, and may hold the letters U+1C80 to U+1C88, which is not supported");
      return Optional.empty();
    }
    try {
      // RE2 is linear in the text for every pattern, which matters because packs may come from
      // callers.
      return Optional.of(Pattern.compile(text.get()));
    } catch (PatternSyntaxException e) {
      fault(path + ".pattern", e.getDescription());
      return Optional.empty();
    }
  }

  private Optional<SchemaNode.Form> form(String path, JsonObject schema) {
    Optional<String> own = text(path, schema, "x-format");
    Optional<String> common = text(path, schema, "format");
    Optional<String> name = own.or(() -> common);
    return name.flatMap(known -> {
      var check = formats.named(known);
      if (check.isEmpty()) {
        fault(path, "the format \"" + known + "\" is not known");
      }
      return check.map(predicate -> new SchemaNode.Form("a valid " + known, predicate));
    });
  }

  private List<JsonValue> choices(String path, JsonObject schema) {
    Optional<JsonArray> list = of(path, schema, "enum", JsonArray.class, "a list of values");
    if (list.filter(JsonArray::isEmpty).isPresent()) {
      fault(path + ".enum", "must list at least one value");
    }
    return list.map(JsonArray::elements).orElse(List.of());
  }

  private List<String> texts(String path, JsonObject schema, String keyword) {
    Optional<JsonArray> list = of(path, schema, keyword, JsonArray.class, "a list of strings");
    if (list.filter(some -> some.strings().count() < some.size()).isPresent()) {
      fault(path + "." + keyword, "must be a list of strings");
    }
    return list.map(some -> some.strings().toList()).orElse(List.of());
  }

  private Optional<String> text(String path, JsonObject schema, String keyword) {
    return of(path, schema, keyword, JsonString.class, "a string").map(JsonString::value);
  }

  private boolean flag(String path, JsonObject schema, String keyword) {
    return of(path, schema, keyword, JsonBoolean.class, "true or false")
        .filter(JsonBoolean.TRUE::equals)
        .isPresent();
  }

  /**
   * Returns the keyword's value. A value of another type is a fault, because it would bound
   * nothing.
   */
  private <T extends JsonValue> Optional<T> of(
      String path, JsonObject schema, String keyword, Class<T> type, String wanted) {
    JsonValue value = schema.get(keyword);
    if (value != null && !type.isInstance(value)) {
      fault(path + "." + keyword, "must be " + wanted);
    }
    return Optional.ofNullable(value).filter(type::isInstance).map(type::cast);
  }

  private void fault(String field, String message) {
    faults.accept(PolicyFault.at(field, message));
  }
}
