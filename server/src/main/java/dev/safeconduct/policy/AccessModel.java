package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A pack's model of subjects, actions and resources for AuthZEN callers (OpenID AuthZEN): the
 * pack's member {@code authzen}. The context of such a pack contains the three as objects.
 *
 * @param actions the names of the actions the pack evaluates
 * @param subjects the properties of the subjects it lists, by type and id
 * @param resources the properties of the resources it lists, by type and id
 */
public record AccessModel(
    Set<String> actions,
    Map<String, Map<String, JsonObject>> subjects,
    Map<String, Map<String, JsonObject>> resources) {
  private static final String MEMBER = "authzen";
  private static final List<String> MEMBERS = List.of("actions", "subjects", "resources");

  /**
   * Returns the pack's model; empty if it has none. Faults go to {@code faults} with their places.
   */
  public static Optional<AccessModel> read(JsonObject document, Consumer<PolicyFault> faults) {
    if (!document.has(MEMBER)) {
      return Optional.empty();
    }
    JsonObject model = document.object(MEMBER).orElse(null);
    if (model == null) {
      faults.accept(PolicyFault.at(MEMBER, "must be an object"));
      return Optional.empty();
    }
    for (String name : model.names()) {
      if (!MEMBERS.contains(name)) {
        PolicyFault fault = PolicyFault.at(MEMBER + "." + name, "there is no such member");
        faults.accept(Spelling.nearest(name, MEMBERS).map(fault::suggesting).orElse(fault));
      }
    }
    return Optional.of(
        new AccessModel(
            actions(model, faults),
            entities(model, "subjects", faults),
            entities(model, "resources", faults)));
  }

  private static Set<String> actions(JsonObject model, Consumer<PolicyFault> faults) {
    var names = new LinkedHashSet<String>();
    Optional<JsonArray> list = model.array("actions");
    boolean sound = list.isPresent() && !list.get().isEmpty();
    for (JsonValue each : list.orElse(JsonArray.EMPTY)) {
      sound &= each instanceof JsonString(String name) && !name.isEmpty() && names.add(name);
    }
    if (!sound) {
      faults.accept(
          PolicyFault.at(MEMBER + ".actions", "must list names of actions, each of them once"));
    }
    return Collections.unmodifiableSet(names);
  }

  private static Map<String, Map<String, JsonObject>> entities(
      JsonObject model, String member, Consumer<PolicyFault> faults) {
    var byType = new TreeMap<String, Map<String, JsonObject>>();
    String place = MEMBER + "." + member;
    if (model.has(member) && model.object(member).isEmpty()) {
      faults.accept(PolicyFault.at(place, "must be an object of types"));
    }
    model
        .object(member)
        .orElse(JsonObject.EMPTY)
        .forEach((type, listed) -> {
          var byId = new TreeMap<String, JsonObject>();
          if (!(listed instanceof JsonObject ids)) {
            faults.accept(PolicyFault.at(place + "." + type, "must be an object of ids"));
            return;
          }
          ids.forEach((id, properties) -> {
            if (properties instanceof JsonObject object) {
              byId.put(id, object);
            } else {
              faults.accept(
                  PolicyFault.at(
                      place + "." + type + "." + id, "must be an object of its properties"));
            }
          });
          byType.put(type, Collections.unmodifiableMap(byId));
        });
    return Collections.unmodifiableMap(byType);
  }

  /**
   * Returns whether the pack evaluates the action on the resource type: any type if it lists none.
   */
  public boolean covers(String action, String resourceType) {
    return actions.contains(action) && coversType(resourceType);
  }

  /** Returns whether the pack evaluates any action on the resource type. */
  public boolean coversType(String resourceType) {
    return resources.isEmpty() || resources.containsKey(resourceType);
  }

  /** Returns the pack's properties of a subject; empty if the pack does not list it. */
  public Optional<JsonObject> subject(String type, String id) {
    return Optional.ofNullable(subjects.getOrDefault(type, Map.of()).get(id));
  }

  /** Returns the pack's properties of a resource; empty if the pack does not list it. */
  public Optional<JsonObject> resource(String type, String id) {
    return Optional.ofNullable(resources.getOrDefault(type, Map.of()).get(id));
  }
}
