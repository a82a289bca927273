package dev.safeconduct.passport.template;

import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.FieldCheck;
import dev.safeconduct.passport.catalog.FieldType;
import dev.safeconduct.passport.catalog.LimitContainer;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Overrides the template's limits with those an instance requests, and rejects wider ones. Limits
 * that are not requested are copied from the template. An unknown limit must not change.
 */
record NarrowerLimits(Catalogue catalogue) {
  /**
   * Returns the instance's limits.
   *
   * @param above the template's limits
   * @param asked the requested narrower limits, already checked against the catalogue
   * @throws dev.safeconduct.error.ProblemException 400 naming the limit that would be wider
   */
  JsonObject run(JsonObject above, JsonObject asked) {
    return place("", above, above, asked);
  }

  /** As {@code run}, for a path that leads to containers. */
  private JsonObject place(String prefix, JsonObject root, JsonObject above, JsonObject asked) {
    JsonObject result = above;
    for (String name : asked.names()) {
      JsonValue value = asked.present(name);
      JsonValue theirs = above.present(name);
      String key = prefix + name;
      String path = "limits." + key;
      LimitContainer container = catalogue.container(key).orElse(null);
      if (value == null) {
        if (theirs != null) {
          throw takenAway(path);
        }
      } else if (container != null && value instanceof JsonObject members) {
        JsonObject base = theirs instanceof JsonObject own ? own : unheld(path, container, root);
        result = result.with(name, fill(path, key, container, root, base, members));
      } else if (catalogue.leadsToContainer(key) && value instanceof JsonObject nested) {
        JsonObject base = theirs instanceof JsonObject own ? own : JsonObject.EMPTY;
        result = result.with(name, place(key + ".", root, base, nested));
      } else if (prefix.isEmpty() && catalogue.isLimitSomewhere(name)) {
        result = result.with(name, flat(path, name, theirs, value));
      } else if (!value.equals(theirs)) {
        throw FieldCheck.wrong(
            path, " is not a known limit, so an instance keeps it as its template has it.");
      }
    }
    return result;
  }

  /**
   * Returns the limits that packs read if the template has no such container: all its limits. A new
   * container starts with them and must not be wider.
   */
  private JsonObject unheld(String path, LimitContainer container, JsonObject root) {
    Optional<String> held =
        catalogue.containerKeys().stream()
            .filter(key -> catalogue.container(key).equals(Optional.of(container)))
            .filter(key -> isHeld(root, key))
            .findFirst();
    if (held.isPresent()) {
      throw FieldCheck.wrong(
          path, ": the template has these limits under limits." + held.get() + ".");
    }
    JsonObject.Builder flat = JsonObject.builder();
    for (String name : container.fields().keySet()) {
      JsonValue value = root.present(name);
      if (value != null) {
        flat.put(name, value);
      }
    }
    return flat.build();
  }

  /** Returns whether the evaluator finds a container there: by its dotted name, or part by part. */
  private static boolean isHeld(JsonObject root, String key) {
    if (root.present(key) != null) {
      return true;
    }
    JsonValue at = root;
    for (String part : key.split("\\.", -1)) {
      at = at instanceof JsonObject object ? object.present(part) : null;
    }
    return at != null;
  }

  private JsonObject fill(
      String path,
      String key,
      LimitContainer container,
      JsonObject root,
      JsonObject above,
      JsonObject asked) {
    Map<String, Field> fields = container.fields();
    JsonObject result = above;
    for (String name : asked.names()) {
      JsonValue value = asked.get(name);
      Field field = fields.get(name);
      String nested = key + "." + name;
      if (field != null || value == null || value == JsonNull.NULL) {
        result = isShadowed(field, name, asked) ? result : with(result, field, name, value);
      } else if (value instanceof JsonObject inner
          && (catalogue.container(nested).isPresent() || catalogue.leadsToContainer(nested))) {
        JsonObject one = JsonObject.of(name, inner);
        result = place(key + ".", root, result, one);
      } else if (container.perType() && value instanceof JsonObject inner) {
        JsonObject base = result.present(name) instanceof JsonObject own ? own : JsonObject.EMPTY;
        result = result.with(name, members(fields, base, inner));
      }
    }
    if (container.perType()) {
      checkEachType(path, fields, above, result);
    } else {
      NarrowerValue.checkMembers(path, fields, above, result);
    }
    return result;
  }

  /** Narrows a flat limit, which every pack without its own container reads. */
  private JsonValue flat(String path, String name, @Nullable JsonValue above, JsonValue asked) {
    catalogue.containers().stream()
        .map(container -> container.fields().get(name))
        .filter(java.util.Objects::nonNull)
        .distinct()
        .forEach(field -> NarrowerValue.check(path, field, above, asked));
    return asked;
  }

  /** Returns the members overridden by the requested ones. */
  static JsonObject members(Map<String, Field> fields, JsonObject above, JsonObject asked) {
    JsonObject result = above;
    for (String name : asked.names()) {
      Field field = fields.get(name);
      if (!isShadowed(field, name, asked)) {
        result = with(result, field, name, asked.get(name));
      }
    }
    return result;
  }

  /** Returns whether packs read the field under another of the names that are requested. */
  private static boolean isShadowed(@Nullable Field field, String name, JsonObject asked) {
    return field != null
        && Stream.concat(Stream.of(field.name()), field.aliases().stream())
            .filter(one -> asked.present(one) != null)
            .findFirst()
            .filter(first -> !first.equals(name))
            .isPresent();
  }

  /** Overrides one member, under the name requested; a remaining alias could take precedence. */
  private static JsonObject with(
      JsonObject members, @Nullable Field field, String name, @Nullable JsonValue asked) {
    JsonValue above = field == null ? members.present(name) : NarrowerValue.read(field, members);
    JsonObject result = members.without(name);
    if (field != null) {
      result = result.without(field.name());
      for (String alias : field.aliases()) {
        result = result.without(alias);
      }
    }
    if (asked == null || asked == JsonNull.NULL) {
      return result;
    }
    return result.with(name, field == null ? asked : merged(field, above, asked));
  }

  private static JsonValue merged(Field field, @Nullable JsonValue above, JsonValue asked) {
    if (!(asked instanceof JsonObject over) || !(above instanceof JsonObject base)) {
      return asked;
    }
    if (field.type() == FieldType.OBJECT) {
      return members(field.members(), base, over);
    }
    JsonObject result = base;
    for (String name : over.names()) {
      JsonValue value = over.present(name);
      JsonValue theirs = base.present(name);
      if (value == null) {
        result = result.without(name);
      } else if (field.type() == FieldType.MAP) {
        result = result.with(name, merged(field.values().orElseThrow(), theirs, value));
      } else {
        result = result.with(name, value);
      }
    }
    return result;
  }

  /** Compares limits that may differ per report type as each type reads them. */
  private static void checkEachType(
      String path, Map<String, Field> fields, JsonObject above, JsonObject own) {
    Set<String> types = new LinkedHashSet<>();
    types.add(""); // stands for every type that neither names
    for (JsonObject limits : new JsonObject[] {above, own}) {
      limits.forEach((name, value) -> {
        if (value instanceof JsonObject byType) {
          Field field = fields.get(name);
          if (field == null) {
            types.add(name);
          } else if (field.perType()) {
            types.addAll(byType.names());
          }
        }
      });
    }
    for (String type : types) {
      NarrowerValue.checkMembers(
          path, fields, ofType(fields, above, type), ofType(fields, own, type));
    }
  }

  /** Returns the limits as a pack reads them for a report of the type (pack catalogue 14). */
  private static JsonObject ofType(Map<String, Field> fields, JsonObject limits, String type) {
    JsonObject result = limits;
    for (Field field : fields.values()) {
      if (field.perType()) {
        JsonValue value = limits.present(field.name());
        if (!fields.containsKey(type)
            && limits.present(type) instanceof JsonObject own
            && own.present(field.name()) != null) {
          value = own.present(field.name());
        } else if (value instanceof JsonObject byType) {
          value = byType.present(type);
        }
        result = value == null ? result.without(field.name()) : result.with(field.name(), value);
      }
    }
    return result;
  }

  private static RuntimeException takenAway(String path) {
    return FieldCheck.wrong(path, " stands in the template, and an instance cannot take it away.");
  }
}
