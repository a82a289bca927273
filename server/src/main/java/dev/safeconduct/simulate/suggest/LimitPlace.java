package dev.safeconduct.simulate.suggest;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.LimitContainer;
import dev.safeconduct.passport.catalog.LimitsCheck;
import dev.safeconduct.policy.PolicyPack;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a pack finds its limits in a passport (pack catalogue 0.3).
 *
 * @param path the names that lead to the container
 * @param members the limits there; for flat limits a copy of those that the pack knows, because
 *     other packs read them too
 */
record LimitPlace(LimitContainer container, List<String> path, JsonObject members) {
  /** Returns the place; empty if the pack has no limits in the catalogue or finds no object. */
  static Optional<LimitPlace> of(PolicyPack pack, JsonObject limits, Catalogue catalogue) {
    if (pack.containers().isEmpty()) {
      return Optional.empty();
    }
    Optional<LimitContainer> container = catalogue.container(pack.containers().getFirst());
    for (String key : pack.containers()) {
      for (List<String> path : List.of(List.of(key), List.of(key.split("\\.", -1)))) {
        JsonValue hit = at(limits, path);
        if (hit != null) {
          return container
              .filter(_ -> hit instanceof JsonObject)
              .map(found -> new LimitPlace(found, path, (JsonObject) hit));
        }
      }
    }
    return container.map(found -> {
      JsonObject flat = limits.only(found.fields().keySet());
      return new LimitPlace(found, List.of(pack.containers().getFirst()), flat);
    });
  }

  /**
   * Returns whether a passport may have the limits here; flat ones may have members that only other
   * packs know.
   */
  boolean fits(JsonObject limits, Catalogue catalogue) {
    if (at(limits, path) != null) {
      return true;
    }
    try {
      List<String> _ = new LimitsCheck(catalogue).run(in(JsonObject.EMPTY, path, members));
      return true;
    } catch (ProblemException _) {
      return false;
    }
  }

  /** Returns the limits that the passport has for single report types. */
  Map<String, LimitPlace> types() {
    var types = new TreeMap<String, LimitPlace>();
    for (String name : container.perType() ? members.names() : List.<String>of()) {
      if (!container.fields().containsKey(name) && members.get(name) instanceof JsonObject own) {
        Map<String, Field> fields = new LinkedHashMap<>(container.fields());
        fields.values().removeIf(field -> !field.perType() || own.present(field.name()) == null);
        List<String> below = Stream.concat(path.stream(), Stream.of(name)).toList();
        types.put(
            name, new LimitPlace(new LimitContainer(container.key(), fields, ""), below, own));
      }
    }
    return types;
  }

  private static @Nullable JsonValue at(JsonObject limits, List<String> path) {
    JsonValue at = limits;
    for (String name : path) {
      at = at instanceof JsonObject object ? object.present(name) : null;
    }
    return at;
  }

  /** Returns the limits of a passport with other members at this place. */
  JsonObject in(JsonObject limits, JsonObject other) {
    return other.equals(members) ? limits : in(limits, path, other);
  }

  private static JsonObject in(JsonObject limits, List<String> path, JsonObject members) {
    String name = path.getFirst();
    return path.size() == 1
        ? limits.with(name, members)
        : limits.with(name, in(limits.child(name), path.subList(1, path.size()), members));
  }

  /** Returns the name under which the pack reads a limit: its own or an alias that is present. */
  String name(Field field) {
    return members.present(field.name()) != null
        ? field.name()
        : field.aliases().stream()
            .filter(alias -> members.present(alias) != null)
            .findFirst()
            .orElse(field.name());
  }
}
