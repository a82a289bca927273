package dev.safeconduct.policy.schema;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.expression.Budget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The schema of a pack's context (pack catalogue 0.5). */
public final class ContextSchema {
  /** The fields that every pack accepts in addition to its own. */
  private static final JsonObject STANDARD =
      JsonObject.builder()
          .put("mcp_servers", texts())
          .put("mcp_tools", texts())
          .put("mcp_server", text())
          .put("mcp_tool", text())
          .put("mcp_session", text())
          .put("region", text())
          .build();

  /** What every context may name, although no rule reads it. */
  private static final Set<String> NAMES = Set.of("agent_id", "policy_id");

  /** A schema that checks only the types of the standard fields. */
  public static final ContextSchema NONE =
      read(JsonObject.EMPTY, new StringFormats(Map.of()), fault -> {});

  /** Bits of the number of members that are copied in one step. */
  private static final int COPIED = 5;

  private final SchemaNode root;
  private final Map<String, List<String>> aliases;
  private final List<Stand> stands;
  private final Set<String> fields;
  private final SchemaNode sent;
  private final long patternBytes;

  private ContextSchema(
      SchemaNode root,
      Map<String, List<String>> aliases,
      List<Stand> stands,
      Set<String> fields,
      long patternBytes) {
    this.root = root;
    this.patternBytes = patternBytes;
    this.aliases = aliases;
    this.stands = List.copyOf(stands);
    this.fields = fields;
    var named = new HashMap<String, SchemaNode>();
    NAMES.forEach(name -> named.put(name, SchemaNode.ANY));
    named.putAll(root.properties());
    aliases.forEach((name, others) ->
        others.forEach(
            alias -> named.put(alias, root.properties().getOrDefault(name, SchemaNode.ANY))));
    this.sent = root.withProperties(Map.copyOf(named));
  }

  /** Compiles {@code required_context}; every fault goes to {@code faults} with its place. */
  public static ContextSchema read(
      JsonObject schema, StringFormats formats, Consumer<PolicyFault> faults) {
    JsonObject own = schema.child("properties");
    if (schema.has("properties") && schema.object("properties").isEmpty()) {
      faults.accept(PolicyFault.at("required_context.properties", "must be an object of schemas"));
    }
    var aliases = new LinkedHashMap<String, List<String>>();
    var stands = new ArrayList<Stand>();
    var fields = new HashSet<String>(STANDARD.names());
    own.forEach((name, property) -> {
      fields.add(name);
      if (property instanceof JsonObject object) {
        List<String> others =
            object.array("x-aliases").map(list -> list.strings().toList()).orElse(List.of());
        if (!others.isEmpty()) {
          aliases.put(name, others);
          fields.addAll(others);
        }
        object.object("x-sets").ifPresent(sets -> stands.add(Stand.read(name, sets, own, faults)));
      }
    });
    JsonObject.Builder all = STANDARD.toBuilder();
    all.putAll(own);
    JsonObject whole = schema.with("properties", all.build());
    var reader = new SchemaReader(formats, faults);
    SchemaNode root = reader.read("required_context", whole);
    for (String name : root.required()) {
      if (!own.has(name)) {
        PolicyFault fault =
            PolicyFault.at(
                "required_context.required",
                "no property describes \"" + name + "\", which it names");
        faults.accept(Spelling.nearest(name, own.names()).map(fault::suggesting).orElse(fault));
      }
    }
    return new ContextSchema(root, aliases, stands, fields, reader.patternBytes());
  }

  /** Returns about how many bytes its patterns take in memory. */
  public long patternBytes() {
    return patternBytes;
  }

  /** Returns the context's described field names: canonical names, aliases and standard fields. */
  public Set<String> fields() {
    return fields;
  }

  /** Returns whether the pack itself describes the field. */
  public boolean declares(String name) {
    return fields.contains(name);
  }

  /** Returns the schema of a context as it is sent, with aliases and standard fields. */
  public SchemaNode sent() {
    return sent;
  }

  /**
   * Returns the context as rules see it, or a message with its fault.
   *
   * @throws dev.safeconduct.policy.expression.OverBudgetException when the check takes too much
   */
  public Checked check(JsonObject context, Budget budget) {
    JsonObject present = withoutNulls(context, root);
    for (Map.Entry<String, List<String>> entry : aliases.entrySet()) {
      for (String alias : entry.getValue()) {
        JsonValue value = present.get(alias);
        if (value == null) {
          continue;
        }
        JsonValue canonical = present.get(entry.getKey());
        if (canonical != null && !canonical.equals(value)) {
          return new Checked.Faulty(
              alias + " and " + entry.getKey() + " say different things.",
              List.of(alias, entry.getKey()));
        }
        budget.charge(present.size() >> COPIED);
        present = present.without(alias).with(entry.getKey(), value);
      }
    }
    for (Stand stand : stands) {
      budget.charge(present.has(stand.field()) ? present.size() >> COPIED : 0);
      JsonObject unfolded = stand.unfold(present);
      if (unfolded == null) {
        return new Checked.Faulty(
            stand.field() + " contradicts the fields it stands for.", List.of(stand.field()));
      }
      present = unfolded;
    }
    String fault = root.fault("", present, budget);
    return fault == null
        ? new Checked.Sound(present)
        : new Checked.Faulty(fault, List.of(fault.split("[ .\\[]", 2)[0]));
  }

  /** The result of checking a context. */
  public sealed interface Checked {
    /** A valid context without null members, with aliases resolved. */
    record Sound(JsonObject context) implements Checked {}

    /**
     * An invalid context, which rules never see.
     *
     * @param message the fault, for people
     * @param fields the invalid fields
     */
    record Faulty(String message, List<String> fields) implements Checked {}
  }

  /**
   * Null members count as absent wherever the schema describes the object. Inside objects that it
   * leaves open, values stay as they were sent, because rules may measure their text.
   */
  @SuppressWarnings("ReferenceEquality") // the same object tells that nothing was taken out
  private static JsonObject withoutNulls(JsonObject object, SchemaNode node) {
    JsonObject.Builder changed = null;
    for (String name : object.names()) {
      JsonValue value = object.get(name);
      SchemaNode inner = node.properties().get(name);
      JsonValue cleaned = value == null || inner == null ? value : clean(value, inner);
      if (changed == null && (value == JsonNull.NULL || cleaned != value)) {
        changed = JsonObject.builder();
        for (String before : object.names()) {
          if (before.equals(name)) {
            break;
          }
          changed.put(before, Objects.requireNonNull(object.get(before)));
        }
      }
      if (changed != null && cleaned != null && cleaned != JsonNull.NULL) {
        changed.put(name, cleaned);
      }
    }
    return changed == null ? object : changed.build();
  }

  @SuppressWarnings("ReferenceEquality") // the same object tells that nothing was taken out
  private static JsonValue clean(JsonValue value, SchemaNode node) {
    if (value instanceof JsonObject object
        && (!node.properties().isEmpty() || node.others().isPresent())) {
      return withoutNulls(object, node);
    }
    if (value instanceof JsonArray array && node.items().isPresent()) {
      var elements = new ArrayList<JsonValue>(array.size());
      boolean changed = false;
      for (JsonValue element : array) {
        JsonValue cleaned = clean(element, node.items().get());
        changed |= cleaned != element;
        elements.add(cleaned);
      }
      return changed ? new JsonArray(elements) : array;
    }
    return value;
  }

  private static JsonObject text() {
    return JsonObject.of("type", "string");
  }

  private static JsonObject texts() {
    return JsonObject.builder().put("type", "array").put("items", text()).build();
  }

  /**
   * A field that substitutes others ({@code x-sets}). Its value becomes the value of one field, and
   * its name implies the values of the rest. For example, {@code contract_value_usd} is a contract
   * value in USD.
   *
   * @param field the field that substitutes others
   * @param target the field whose value it gives
   * @param implied the values its presence gives to further fields
   */
  record Stand(String field, String target, JsonObject implied) {
    static Stand read(
        String field, JsonObject sets, JsonObject described, Consumer<PolicyFault> faults) {
      String target = sets.text("value_of");
      JsonObject implied = sets.child("implies");
      if (!described.has(target)
          || !described.names().containsAll(implied.names())
          || implied.has(target)) {
        faults.accept(
            PolicyFault.at(
                "required_context.properties." + field + ".x-sets",
                "value_of and implies must name described fields"));
      }
      return new Stand(field, target, implied);
    }

    /**
     * Returns the context with this field replaced by those it substitutes; Java null on conflict.
     */
    @Nullable JsonObject unfold(JsonObject context) {
      JsonValue value = context.get(field);
      if (value == null) {
        return context;
      }
      JsonObject all = implied.with(target, value);
      JsonObject unfolded = context.without(field);
      for (String name : all.names()) {
        JsonValue given = context.get(name);
        JsonValue meant = all.present(name);
        if (meant == null || (given != null && !given.equals(meant))) {
          return null;
        }
        unfolded = unfolded.with(name, meant);
      }
      return unfolded;
    }
  }
}
