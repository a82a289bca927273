package dev.safeconduct.passport.template;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.FieldCheck;
import dev.safeconduct.passport.catalog.KnownCapability;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Selects the capabilities of an instance from its template's. Their params are the template's,
 * overridden by the requested ones.
 */
record NarrowerCapabilities(Catalogue catalogue) {
  /**
   * Returns the instance's capabilities.
   *
   * @param above the template's capabilities
   * @param asked the requested capabilities, each as {@code {id, params?}}
   * @throws dev.safeconduct.error.ProblemException 400 naming a capability the template does not
   *     have, or a param that would be wider
   */
  JsonArray run(JsonArray above, JsonArray asked) {
    Map<String, JsonObject> theirs = byId(above);
    Map<String, JsonObject> kept = byId(asked);
    var result = new ArrayList<JsonValue>();
    int i = 0;
    for (Map.Entry<String, JsonObject> each : kept.entrySet()) {
      String path = "capabilities[" + i++ + "]";
      String id = each.getKey();
      JsonObject held = theirs.get(id);
      if (held == null) {
        throw FieldCheck.wrong(path + ".id", ": the template does not have " + id + ".");
      }
      result.add(narrowed(path + ".params", id, held, each.getValue()));
    }
    theirs.forEach((id, held) -> {
      if (!kept.containsKey(id) && held.has("params")) {
        refuseTwin(id, kept);
      }
    });
    return new JsonArray(result);
  }

  /**
   * Returns the params of a capability that a request names twice. Of each param the narrower value
   * remains.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming a param whose values have no common
   *     narrower value
   */
  JsonObject both(String path, String id, JsonObject first, JsonObject again) {
    Map<String, Field> fields =
        catalogue.capability(id).map(KnownCapability::params).orElse(Map.of());
    JsonObject result = first;
    for (String name : again.names()) {
      JsonValue one = first.present(name);
      JsonValue other = again.present(name);
      Field field = fields.get(name);
      if (other == null || other.equals(one)) {
        continue;
      }
      if (one != null && field == null) {
        throw FieldCheck.wrong(
            path + "." + name, " contradicts the same capability before it; send one value.");
      }
      boolean widens = field != null && one == null && first.has(field.narrows().qualifies());
      if (!widens) {
        result =
            result.with(
                name,
                one == null || field == null
                    ? other
                    : NarrowerValue.both(path + "." + name, field, one, other));
      }
    }
    return unqualified(fields, result, again);
  }

  /** Drops a qualifier that one of the two lacks: the qualified value then holds for all. */
  private static JsonObject unqualified(
      Map<String, Field> fields, JsonObject params, JsonObject again) {
    JsonObject result = params;
    for (Field field : fields.values()) {
      if (again.has(field.narrows().qualifies()) && !again.has(field.name())) {
        result = result.without(field.name());
      }
    }
    return result;
  }

  private JsonObject narrowed(String path, String id, JsonObject held, JsonObject asked) {
    JsonObject params = asked.child("params");
    if (params.isEmpty()) {
      return held;
    }
    Map<String, Field> fields =
        catalogue.capability(id).map(KnownCapability::params).orElse(Map.of());
    JsonObject theirs = held.child("params");
    for (String name : params.names()) {
      JsonValue value = params.present(name);
      if (!fields.containsKey(name) && value != null && !value.equals(theirs.present(name))) {
        throw FieldCheck.wrong(
            path + "." + name,
            " is not a known parameter, so an instance keeps it as its template has it.");
      }
    }
    JsonObject own = NarrowerLimits.members(fields, theirs, params);
    NarrowerValue.checkMembers(path, fields, theirs, own);
    return own.isEmpty() ? held.without("params") : held.with("params", own);
  }

  /**
   * The params of every capability that permits a pack apply. An instance that keeps one of them
   * must therefore keep the params of the others.
   */
  private void refuseTwin(String left, Map<String, JsonObject> kept) {
    var group = catalogue.capability(left).flatMap(KnownCapability::container);
    for (String id : kept.keySet()) {
      if (group.isPresent()
          && group.equals(catalogue.capability(id).flatMap(KnownCapability::container))) {
        throw FieldCheck.wrong(
            "capabilities", " must keep " + left + ", whose params hold for " + id + " as well.");
      }
    }
  }

  private static Map<String, JsonObject> byId(JsonArray capabilities) {
    var byId = new LinkedHashMap<String, JsonObject>();
    for (JsonValue each : capabilities) {
      JsonObject capability =
          each instanceof JsonObject object ? object : JsonObject.of("id", each);
      if (capability.get("id") instanceof JsonString(String id)) {
        byId.put(id, capability);
      }
    }
    return byId;
  }
}
