package dev.safeconduct.policy;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.expression.Knowledge;
import dev.safeconduct.policy.expression.Values;
import dev.safeconduct.problem.PolicyFault;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * What a pack says its rules may read: the fields of its context and its limits. A pack that
 * describes neither may read anything.
 */
final class Declarations {
  /** Limits every pack knows (catalogue 0.2, 0.10, 0.13). */
  private static final Set<String> COMMON_LIMITS =
      Set.of("disable_default_blocks", "require_assurance_at_least", "approval_required");

  private static final Set<String> LIMIT_TYPES =
      new TreeSet<>(
          List.of(
              "number",
              "integer",
              "flag",
              "boolean",
              "text",
              "string",
              "object",
              "list",
              "array",
              "string_list",
              "path_list",
              "path_pattern_list",
              "domain_list",
              "url_list"));

  private final JsonObject document;
  private final JsonObject schema;

  Declarations(JsonObject document) {
    this.document = document;
    this.schema = document.object("required_context").orElse(JsonObject.EMPTY);
  }

  /** What is known when limits are as the pack says they are. */
  Knowledge typed() {
    return knowledge(Values.of(new Values.Objects(limits(), null, document.has("limits"))));
  }

  /** What is known for sure: a passport's limits may be anything. */
  Knowledge certain() {
    return knowledge(Values.OBJECT);
  }

  private Knowledge knowledge(Values limits) {
    Map<String, Values> policy = new HashMap<>();
    policy.put("id", Values.STRING);
    policy.put("min_assurance", Values.STRING);
    return Knowledge.of(
        Values.of(context()),
        limits,
        Values.of(new Values.Objects(policy, Values.UNDEFINED, true)));
  }

  private Values.Objects context() {
    Map<String, Values> standard = new HashMap<>();
    Values texts = Values.of(new Values.Arrays(Values.STRING, 0, Long.MAX_VALUE)).orUndefined();
    List.of("mcp_servers", "mcp_tools").forEach(name -> standard.put(name, texts));
    List.of("mcp_server", "mcp_tool", "mcp_session", "region")
        .forEach(name -> standard.put(name, Values.STRING.orUndefined()));
    Values.Objects whole = Shapes.object(schema, standard);
    // Resolved before the rules run: told apart, so here they may be anything.
    Map<String, Values> members = new HashMap<>(whole.members());
    resolved().keySet().forEach(name -> members.put(name, Values.ANY));
    return new Values.Objects(members, whole.others(), schema.has("properties"));
  }

  /** Fields that are gone when rules run, each with the field that has their value. */
  Map<String, String> resolved() {
    var gone = new HashMap<String, String>();
    schema
        .object("properties")
        .ifPresent(properties ->
            properties.forEach((name, property) -> {
              if (property instanceof JsonObject one) {
                for (String alias : one.array("x-aliases").orElse(JsonArray.EMPTY).texts()) {
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

  private Map<String, Values> limits() {
    var all = new HashMap<String, Values>();
    COMMON_LIMITS.forEach(name -> all.put(name, Values.ANY));
    document
        .object("limits")
        .ifPresent(limits ->
            limits.forEach((name, declared) -> {
              Values values = declared instanceof JsonObject one ? limit(one) : Values.ANY;
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

  private static Values limit(JsonObject declared) {
    return switch (declared.string("type").orElse("")) {
      case "number", "integer" -> Values.NUMBER.orAbsent();
      case "boolean" -> Values.BOOLEAN.orAbsent();
      case "text", "string" -> Values.STRING.orAbsent();
      case "object" -> Values.OBJECT.orAbsent();
      case "list", "array" -> Values.ARRAY.orAbsent();
      case String type when type.endsWith("_list") -> Values.ARRAY.orAbsent();
      default -> Values.ANY;
    };
  }

  /** Every limit rules may read; empty when any. */
  Set<String> limitNames() {
    return document.has("limits") ? new TreeSet<>(limits().keySet()) : Set.of();
  }

  /** Every field rules may read, the further names of fields too; empty when any. */
  Set<String> fieldNames() {
    return schema.has("properties") ? new TreeSet<>(context().members().keySet()) : Set.of();
  }

  /** Faults of the declarations themselves. */
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
                faults.accept(
                    Spelling.nearest(type, LIMIT_TYPES).map(fault::suggesting).orElse(fault));
              }
              aliases(declared).stream().filter(alias -> !names.add(alias)).forEach(doubled::add);
            }));
    for (String alias : doubled) {
      faults.accept(PolicyFault.at("limits", "\"" + alias + "\" is an alias of two limits"));
    }
  }
}
