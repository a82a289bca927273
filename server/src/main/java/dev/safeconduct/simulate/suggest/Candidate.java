package dev.safeconduct.simulate.suggest;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.template.Narrowing;
import dev.safeconduct.policy.PolicyPack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The present passport with some limits narrowed and some capabilities left out. Each can be
 * restored to what it is at present.
 */
final class Candidate {
  static final String CAPABILITIES = "capabilities";
  static final String PARAMS = "params";
  static final String LIMITS = "limits";
  static final String REGIONS = "regions";
  static final String MCP = "mcp";

  private final JsonObject present;
  private final Catalogue catalogue;
  private final Map<Part, Change> narrowed = new LinkedHashMap<>();
  private final Map<Part, Change> restored = new LinkedHashMap<>();
  private final Map<String, JsonArray> lists = new LinkedHashMap<>();
  private final Set<String> dropped = new LinkedHashSet<>();
  private final Set<String> capabilitiesRestored = new LinkedHashSet<>();

  /** {@code present}: the passport as it is. */
  Candidate(JsonObject present, Catalogue catalogue) {
    this.present = present;
    this.catalogue = catalogue;
  }

  /** A value of the passport that can be narrowed by itself. */
  sealed interface Part {
    /** Returns the id of the pack that reads it. */
    String pack();

    /** Returns its member of the passport. */
    String member();
  }

  /** A limit of a pack, where the passport has it. */
  record Limit(String pack, LimitPlace place, Field field, String name) implements Part {
    @Override
    public String member() {
      return LIMITS + "." + String.join(".", place.path()) + "." + name;
    }
  }

  /** A param of a capability that the passport has. */
  record Param(String pack, String capability, String name) implements Part {
    @Override
    public String member() {
      return CAPABILITIES + "." + capability + ".params." + name;
    }
  }

  /**
   * A narrower value.
   *
   * @param before Java null if it is absent at present
   */
  record Change(@Nullable JsonValue before, JsonValue after, long seen, String why) {
    Change because(String other) {
      return new Change(before, after, seen, other);
    }
  }

  void narrow(Part part, Change change) {
    narrowed.put(part, change);
  }

  /**
   * Narrows a list beside the limits: {@code regions}, {@code mcp.servers} or {@code mcp.tools}.
   */
  void narrow(String list, JsonArray entries) {
    lists.put(list, entries);
    if (!isNarrower(new Narrowing(catalogue), withLists(present), list.split("\\.", 2)[0])) {
      lists.remove(list);
    }
  }

  /** The lists beside the limits that are narrowed, by their members. */
  Map<String, JsonArray> lists() {
    return lists;
  }

  /** Returns the present entries of a list beside the limits; empty if it is absent. */
  static Optional<JsonArray> list(JsonObject passport, String list) {
    String[] path = list.split("\\.", 2);
    return path.length == 1
        ? passport.array(list)
        : passport.object(path[0]).flatMap(object -> object.array(path[1]));
  }

  private JsonObject withLists(JsonObject document) {
    JsonObject result = document;
    for (Map.Entry<String, JsonArray> each : lists.entrySet()) {
      String[] path = each.getKey().split("\\.", 2);
      result =
          path.length == 1
              ? result.with(path[0], each.getValue())
              : result.with(path[0], result.child(path[0]).with(path[1], each.getValue()));
    }
    return result;
  }

  void drop(String capability) {
    dropped.add(capability);
  }

  Map<Part, Change> narrowed() {
    return narrowed;
  }

  Map<Part, Change> restored() {
    return restored;
  }

  Set<String> dropped() {
    return dropped;
  }

  Set<String> capabilitiesRestored() {
    return capabilitiesRestored;
  }

  /** Returns the passport with the changes. */
  JsonObject document() {
    return withLists(with(narrowed, dropped));
  }

  private JsonObject with(Map<Part, Change> changes, Set<String> without) {
    var members = new LinkedHashMap<LimitPlace, JsonObject>();
    var params = new LinkedHashMap<Param, JsonValue>();
    changes.forEach((part, change) -> {
      switch (part) {
        case Param param -> params.put(param, change.after());
        case Limit limit ->
            members.merge(
                limit.place(),
                limit.place().members().with(limit.name(), change.after()),
                (some, _) -> some.with(limit.name(), change.after()));
      }
    });
    JsonObject result = present;
    if (!without.isEmpty() || !params.isEmpty()) {
      var kept = new ArrayList<JsonValue>();
      for (JsonValue each : present.list(CAPABILITIES)) {
        if (id(each).filter(without::contains).isEmpty()) {
          kept.add(with(each, params));
        }
      }
      result = result.with(CAPABILITIES, new JsonArray(kept));
    }
    if (members.isEmpty()) {
      return result;
    }
    JsonObject limits = present.child(LIMITS);
    for (Map.Entry<LimitPlace, JsonObject> each : members.entrySet()) {
      limits = each.getKey().in(limits, each.getValue());
    }
    return result.with(LIMITS, limits);
  }

  private static JsonValue with(JsonValue capability, Map<Param, JsonValue> params) {
    JsonValue result = capability;
    for (Map.Entry<Param, JsonValue> each : params.entrySet()) {
      if (result instanceof JsonObject object
          && object.text("id").equals(each.getKey().capability())) {
        JsonObject own = object.child(PARAMS);
        result = object.with(PARAMS, own.with(each.getKey().name(), each.getValue()));
      }
    }
    return result;
  }

  /** Returns the id of a capability, a string or an object. */
  static Optional<String> id(JsonValue capability) {
    return switch (capability) {
      case JsonString(String id) -> Optional.of(id);
      case JsonObject object -> object.string("id");
      default -> Optional.empty();
    };
  }

  /** Restores what the catalogue does not know to be narrower. */
  void restoreWider() {
    var narrowing = new Narrowing(catalogue);
    for (Map.Entry<Part, Change> each : List.copyOf(narrowed.entrySet())) {
      if (!isNarrower(
          narrowing,
          with(Map.of(each.getKey(), each.getValue()), Set.of()),
          each.getKey() instanceof Limit ? LIMITS : CAPABILITIES)) {
        restore(each.getKey()::equals, "It is not known to be narrower in every case.");
      }
    }
    if (!dropped.isEmpty() && !isNarrower(narrowing, with(Map.of(), dropped), CAPABILITIES)) {
      restoreCapabilities();
    }
  }

  private boolean isNarrower(Narrowing narrowing, JsonObject document, String member) {
    JsonValue asked = document.get(member);
    try {
      if (asked != null) {
        narrowing.of(present, new Content(Map.of(member, asked), Set.of(), List.of()));
      }
      return true;
    } catch (ProblemException _) {
      return false;
    }
  }

  private boolean restore(Predicate<Part> which, String why) {
    List<Part> parts = narrowed.keySet().stream().filter(which).toList();
    for (Part part : parts) {
      Change change = narrowed.remove(part);
      if (change != null) {
        restored.put(part, change.because(why));
      }
    }
    return !parts.isEmpty();
  }

  private void restoreCapabilities() {
    capabilitiesRestored.addAll(dropped);
    dropped.clear();
  }

  /**
   * Restores what may have caused a deny: the limits that the rule read, else the params of the
   * pack's capabilities, else the lists beside the limits, else the capabilities, else all limits
   * of the pack, else all.
   *
   * @return whether anything was restored
   */
  boolean restore(PolicyPack pack, List<String> read, String why) {
    String id = pack.id().value();
    boolean some =
        restore(
                part ->
                    part instanceof Limit limit
                        && limit.pack().equals(id)
                        && (read.contains(limit.name()) || read.contains(limit.field().name())),
                why)
            || restore(part -> part instanceof Param && part.pack().equals(id), why);
    if (!some && !lists.isEmpty()) {
      lists.clear();
      return true;
    }
    if (!some && !dropped.isEmpty()) {
      restoreCapabilities();
      return true;
    }
    return some
        || restore(part -> part instanceof Limit && part.pack().equals(id), why)
        || restore(Limit.class::isInstance, why);
  }
}
