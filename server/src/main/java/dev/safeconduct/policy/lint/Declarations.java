package dev.safeconduct.policy.lint;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The facts a pack allows its rules to read: the fields of its context and its limits. A pack that
 * describes neither may read anything.
 */
final class Declarations {
  private static final double MOST_WHOLE = 9007199254740991.0;

  /** Longer lists of choices are not tracked, because checking a pack must stay fast. */
  private static final int MOST_CHOICES = 200;

  /** Limits that every pack knows (catalogue 0.2, 0.10, 0.13). */
  private static final Set<String> COMMON_LIMITS =
      Set.of("disable_default_blocks", "require_assurance_at_least", "approval_required");

  private static final Set<String> LIMIT_TYPES =
      new TreeSet<>(
          Words.list(
              """
              number integer flag boolean text string object list array string_list path_list
              path_pattern_list domain_list url_list
              """));

  private final JsonObject document;
  private final JsonObject schema;

  Declarations(JsonObject document) {
    this.document = document;
    this.schema = document.child("required_context");
  }

  /** Returns the knowledge if limits have their declared types. */
  TypeEnvironment typed() {
    return knowledge(ValueSet.of(new ValueSet.Objects(limits(), null, document.has("limits"))));
  }

  /** Returns the knowledge that is certain: a passport's limits may have any value. */
  TypeEnvironment certain() {
    return knowledge(ValueSet.OBJECT);
  }

  private TypeEnvironment knowledge(ValueSet limits) {
    Map<String, ValueSet> policy = new HashMap<>();
    policy.put("id", ValueSet.STRING);
    policy.put("min_assurance", ValueSet.STRING);
    return TypeEnvironment.of(
        ValueSet.of(context()),
        limits,
        ValueSet.of(new ValueSet.Objects(policy, ValueSet.UNDEFINED, true)));
  }

  private ValueSet.Objects context() {
    Map<String, ValueSet> standard = new HashMap<>();
    ValueSet texts =
        ValueSet.of(new ValueSet.Arrays(ValueSet.STRING, 0, Long.MAX_VALUE)).orUndefined();
    List.of("mcp_servers", "mcp_tools").forEach(name -> standard.put(name, texts));
    List.of("mcp_server", "mcp_tool", "mcp_session", "region")
        .forEach(name -> standard.put(name, ValueSet.STRING.orUndefined()));
    ValueSet.Objects whole = object(schema, standard);
    // These are resolved before the rules run and inspected separately, so here they may be any
    // value.
    Map<String, ValueSet> members = new HashMap<>(whole.members());
    resolved().keySet().forEach(name -> members.put(name, ValueSet.ANY));
    return new ValueSet.Objects(members, whole.others(), schema.has("properties"));
  }

  /**
   * Returns fields that are replaced before rules run, each with the field that has their value.
   */
  Map<String, String> resolved() {
    var gone = new HashMap<String, String>();
    schema
        .object("properties")
        .ifPresent(properties ->
            properties.forEach((name, property) -> {
              if (property instanceof JsonObject one) {
                for (String alias : one.list("x-aliases").texts()) {
                  if (!properties.has(alias)) {
                    gone.put(alias, name);
                  }
                }
                one.object("x-sets")
                    .flatMap(sets -> sets.string("value_of"))
                    .ifPresent(target -> gone.put(name, target));
              }
            }));
    return gone;
  }

  private Map<String, ValueSet> limits() {
    var all = new HashMap<String, ValueSet>();
    COMMON_LIMITS.forEach(name -> all.put(name, ValueSet.ANY));
    document
        .object("limits")
        .ifPresent(limits ->
            limits.forEach((name, declared) -> {
              ValueSet values = declared instanceof JsonObject one ? limit(one) : ValueSet.ANY;
              all.put(name, values);
              aliases(declared).forEach(alias -> all.put(alias, values));
            }));
    return all;
  }

  private static List<String> aliases(JsonValue declared) {
    return declared instanceof JsonObject limit
        ? limit.array("aliases").map(JsonArray::texts).orElse(List.of())
        : List.of();
  }

  private static ValueSet limit(JsonObject declared) {
    return switch (declared.text("type")) {
      case "number", "integer" -> ValueSet.NUMBER.orAbsent();
      case "boolean" -> ValueSet.BOOLEAN.orAbsent();
      case "text", "string" -> ValueSet.STRING.orAbsent();
      case "object" -> ValueSet.OBJECT.orAbsent();
      case "list", "array" -> ValueSet.ARRAY.orAbsent();
      case String type when type.endsWith("_list") -> ValueSet.ARRAY.orAbsent();
      default -> ValueSet.ANY;
    };
  }

  /** Returns every limit that rules may read; empty if any. */
  Set<String> limitNames() {
    return document.has("limits") ? new TreeSet<>(limits().keySet()) : Set.of();
  }

  /** Returns every field that rules may read, including aliases; empty if any. */
  Set<String> fieldNames() {
    return schema.has("properties") ? new TreeSet<>(context().members().keySet()) : Set.of();
  }

  /** Reports faults of the declarations themselves. */
  void check(Consumer<PolicyFault> faults) {
    var names = new HashSet<>(COMMON_LIMITS);
    var doubled = new ArrayList<String>();
    document
        .object("limits")
        .ifPresent(limits ->
            limits.forEach((name, declared) -> {
              if (declared instanceof JsonObject one
                  && one.get("type") instanceof JsonString(String type)
                  && !LIMIT_TYPES.contains(type)) {
                PolicyFault fault =
                    PolicyFault.at(
                        "limits." + name + ".type",
                        "\""
                            + type
                            + "\" is no type of limits; they are "
                            + String.join(", ", LIMIT_TYPES));
                faults.accept(Spelling.suggest(fault, type, LIMIT_TYPES));
              }
              aliases(declared).stream().filter(alias -> !names.add(alias)).forEach(doubled::add);
            }));
    for (String alias : doubled) {
      faults.accept(PolicyFault.at("limits", "\"" + alias + "\" is an alias of two limits"));
    }
  }

  /** Returns the values the schema accepts; all values for keywords that are absent. */
  private static ValueSet values(JsonObject schema) {
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
                  schema.object("items").map(Declarations::values).orElse(null),
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
  private static ValueSet.Objects object(JsonObject schema, Map<String, ValueSet> further) {
    Map<String, ValueSet> members = new HashMap<>(further);
    List<String> required = schema.array("required").map(JsonArray::texts).orElse(List.of());
    JsonObject properties = schema.child("properties");
    properties.forEach((name, property) -> {
      ValueSet values = property instanceof JsonObject one ? values(one) : ValueSet.ANY;
      members.put(name, required.contains(name) ? values : values.orUndefined());
    });
    JsonValue others = schema.get("additionalProperties");
    return new ValueSet.Objects(
        members,
        others instanceof JsonObject one ? values(one).orUndefined() : null,
        !properties.isEmpty() && !(others instanceof JsonObject) && others != JsonBoolean.TRUE);
  }

  private static double bound(JsonObject schema, String keyword, double otherwise) {
    return schema.get(keyword) instanceof JsonNumber number ? number.value() : otherwise;
  }

  private static long count(JsonObject schema, String keyword, long otherwise) {
    return schema.get(keyword) instanceof JsonNumber number ? (long) number.value() : otherwise;
  }
}
