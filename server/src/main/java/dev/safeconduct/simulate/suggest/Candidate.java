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
  private final Map<Limit, Change> narrowed = new LinkedHashMap<>();
  private final Map<Limit, Change> restored = new LinkedHashMap<>();
  private final Map<Param, ParamChange> params = new LinkedHashMap<>();
  private final Map<Param, ParamChange> paramsRestored = new LinkedHashMap<>();
  private final Map<String, JsonArray> lists = new LinkedHashMap<>();
  private final Set<String> dropped = new LinkedHashSet<>();
  private final Set<String> capabilitiesRestored = new LinkedHashSet<>();

  /** {@code present}: the passport as it is. */
  Candidate(JsonObject present, Catalogue catalogue) {
    this.present = present;
    this.catalogue = catalogue;
  }

  /** A limit of a pack, where the passport has it. */
  record Limit(String pack, List<String> path, String name) {}

  /**
   * A narrower value.
   *
   * @param before Java null if the limit is absent at present
   */
  record Change(
      LimitPlace place,
      Field field,
      @Nullable JsonValue before,
      JsonValue after,
      long seen,
      String why) {
    Change because(String other) {
      return new Change(place, field, before, after, seen, other);
    }

    String member(String name) {
      return LIMITS + "." + String.join(".", place.path()) + "." + name;
    }
  }

  /** A param of a capability that the passport has. */
  record Param(String capability, String name) {
    String member() {
      return CAPABILITIES + "." + capability + ".params." + name;
    }
  }

  /** A narrower value of a param; {@code pack} reads it. */
  record ParamChange(String pack, JsonValue before, JsonValue after, long seen, String why) {
    ParamChange because(String other) {
      return new ParamChange(pack, before, after, seen, other);
    }
  }

  void narrow(Param param, ParamChange change) {
    params.put(param, change);
  }

  Map<Param, ParamChange> params() {
    return params;
  }

  Map<Param, ParamChange> paramsRestored() {
    return paramsRestored;
  }

  void narrow(Limit limit, Change change) {
    narrowed.put(limit, change);
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
              : result.with(
                  path[0],
                  result.object(path[0]).orElse(JsonObject.EMPTY).with(path[1], each.getValue()));
    }
    return result;
  }

  void drop(String capability) {
    dropped.add(capability);
  }

  Map<Limit, Change> narrowed() {
    return narrowed;
  }

  Map<Limit, Change> restored() {
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
    return withLists(with(narrowed, dropped, params));
  }

  private JsonObject with(
      Map<Limit, Change> changes, Set<String> without, Map<Param, ParamChange> tighter) {
    JsonObject result = present;
    if (!without.isEmpty() || !tighter.isEmpty()) {
      var kept = new ArrayList<JsonValue>();
      for (JsonValue each : present.array(CAPABILITIES).orElse(JsonArray.EMPTY)) {
        if (id(each).filter(without::contains).isEmpty()) {
          kept.add(with(each, tighter));
        }
      }
      result = result.with(CAPABILITIES, new JsonArray(kept));
    }
    if (changes.isEmpty()) {
      return result;
    }
    var members = new LinkedHashMap<LimitPlace, JsonObject>();
    changes.forEach((limit, change) ->
        members.merge(
            change.place(),
            change.place().members().with(limit.name(), change.after()),
            (some, _) -> some.with(limit.name(), change.after())));
    JsonObject limits = present.child(LIMITS);
    for (Map.Entry<LimitPlace, JsonObject> each : members.entrySet()) {
      limits = each.getKey().in(limits, each.getValue());
    }
    return result.with(LIMITS, limits);
  }

  private static JsonValue with(JsonValue capability, Map<Param, ParamChange> tighter) {
    JsonValue result = capability;
    for (Map.Entry<Param, ParamChange> each : tighter.entrySet()) {
      if (result instanceof JsonObject object
          && object.string("id").filter(each.getKey().capability()::equals).isPresent()) {
        JsonObject own = object.child(PARAMS);
        result = object.with(PARAMS, own.with(each.getKey().name(), each.getValue().after()));
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
    for (Limit limit : List.copyOf(narrowed.keySet())) {
      Change change = narrowed.get(limit);
      if (change != null
          && !isNarrower(narrowing, with(Map.of(limit, change), Set.of(), Map.of()), LIMITS)) {
        restore(limit, "It is not known to be narrower in every case.");
      }
    }
    for (Map.Entry<Param, ParamChange> each : List.copyOf(params.entrySet())) {
      if (!isNarrower(
          narrowing,
          with(Map.of(), Set.of(), Map.of(each.getKey(), each.getValue())),
          CAPABILITIES)) {
        restore(each.getKey(), "It is not known to be narrower in every case.");
      }
    }
    if (!dropped.isEmpty()
        && !isNarrower(narrowing, with(Map.of(), dropped, Map.of()), CAPABILITIES)) {
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

  private void restore(Limit limit, String why) {
    Change change = narrowed.remove(limit);
    if (change != null) {
      restored.put(limit, change.because(why));
    }
  }

  private void restore(Param param, String why) {
    ParamChange change = params.remove(param);
    if (change != null) {
      paramsRestored.put(param, change.because(why));
    }
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
    int before = narrowed.size();
    String id = pack.id().value();
    for (Limit limit : List.copyOf(narrowed.keySet())) {
      Change change = narrowed.get(limit);
      if (change != null
          && limit.pack().equals(id)
          && (read.contains(limit.name()) || read.contains(change.field().name()))) {
        restore(limit, why);
      }
    }
    List<Param> own =
        params.entrySet().stream()
            .filter(each -> each.getValue().pack().equals(id))
            .map(Map.Entry::getKey)
            .toList();
    if (narrowed.size() == before && !own.isEmpty()) {
      own.forEach(param -> restore(param, why));
      return true;
    }
    if (narrowed.size() == before && !lists.isEmpty()) {
      lists.clear();
      return true;
    }
    if (narrowed.size() == before && !dropped.isEmpty()) {
      restoreCapabilities();
      return true;
    }
    if (narrowed.size() == before) {
      List.copyOf(narrowed.keySet()).stream()
          .filter(limit -> limit.pack().equals(id))
          .forEach(limit -> restore(limit, why));
    }
    if (narrowed.size() == before) {
      List.copyOf(narrowed.keySet()).forEach(limit -> restore(limit, why));
    }
    return narrowed.size() < before;
  }
}
