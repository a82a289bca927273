package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import java.util.ArrayList;
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
 * @param subjects the subjects it lists, by type
 * @param resources the resources it lists, by type
 */
public record AccessModel(
    Set<String> actions, Map<String, Entities> subjects, Map<String, Entities> resources) {
  /** The type of the agents that have a hosted passport. Their ids have several spellings. */
  private static final String AGENT = "agent";

  /** The type of the same agents in requests of MCP gateways (COAZ-MCP). */
  private static final String IDENTITY = "identity";

  /** The context members that hold the request's entities. */
  public static final List<String> CONTEXT = List.of("subject", "action", "resource");

  private static final String MEMBER = "authzen";
  private static final String OTHERS = "*";
  private static final String PROPERTIES = "properties";
  private static final String TRUSTED = "trusted";
  private static final List<String> MEMBERS = List.of("actions", "subjects", "resources");

  /**
   * The entities of one type.
   *
   * @param listed the properties of each listed entity, by id
   * @param ids the ids by the form in which all spellings of an id are equal; empty if only the id
   *     itself names an entity
   * @param others the properties of every other id ({@code "*"}), if the type is open to them
   * @param trusted whether these properties precede the caller's
   */
  public record Entities(
      Map<String, JsonObject> listed,
      Map<String, String> ids,
      Optional<JsonObject> others,
      boolean trusted) {
    private static final Entities NONE = new Entities(Map.of(), Map.of(), Optional.empty(), false);

    /** Returns the id as the pack spells it; an id that the pack does not list unchanged. */
    private String spelled(String id) {
      return ids.isEmpty() ? id : ids.getOrDefault(AgentId.fold(id), id);
    }

    private JsonObject properties(String id) {
      JsonObject own = listed.get(id);
      return own == null ? others.orElse(JsonObject.EMPTY) : own;
    }
  }

  /**
   * A context with the pack's properties of its subject and resource.
   *
   * @param fromPack the names of the properties that the pack provides, by context member
   * @param ignored the names of the caller's properties that a trusted type replaces with another
   *     value, by context member
   */
  public record Completed(JsonObject context, JsonObject fromPack, JsonObject ignored) {
    /** Returns a context to which no pack adds anything. */
    public static Completed unchanged(JsonObject context) {
      return new Completed(context, JsonObject.EMPTY, JsonObject.EMPTY);
    }
  }

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
        faults.accept(Spelling.suggest(fault, name, MEMBERS));
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

  private static Map<String, Entities> entities(
      JsonObject model, String member, Consumer<PolicyFault> faults) {
    var byType = new TreeMap<String, Entities>();
    String place = MEMBER + "." + member;
    if (model.has(member) && model.object(member).isEmpty()) {
      faults.accept(PolicyFault.at(place, "must be an object of types"));
    }
    model
        .child(member)
        .forEach((type, listed) -> {
          if (listed instanceof JsonObject ids) {
            byType.put(type, ofType(type, ids, place + "." + type, faults));
          } else {
            faults.accept(PolicyFault.at(place + "." + type, "must be an object of ids"));
          }
        });
    return Collections.unmodifiableMap(byType);
  }

  /** Reads one type. A boolean {@code trusted} is its option; an object is an entity's. */
  private static Entities ofType(
      String type, JsonObject ids, String place, Consumer<PolicyFault> faults) {
    var byId = new TreeMap<String, JsonObject>();
    ids.forEach((id, properties) -> {
      if (properties instanceof JsonObject object) {
        byId.put(id, object);
      } else if (!id.equals(TRUSTED)) {
        faults.accept(PolicyFault.at(place + "." + id, "must be an object of its properties"));
      } else if (!(properties instanceof JsonBoolean)) {
        faults.accept(
            PolicyFault.at(
                place + "." + id, "must be true or false, or the properties of an id \"trusted\""));
      }
    });
    boolean trusted = ids.isTrue(TRUSTED);
    if (trusted && byId.values().stream().allMatch(JsonObject::isEmpty)) {
      faults.accept(
          PolicyFault.at(place + "." + TRUSTED, "has no effect, because no id has properties"));
    }
    Optional<JsonObject> others = Optional.ofNullable(byId.remove(OTHERS));
    var spellings = new TreeMap<String, String>();
    if (isAgent(type)) {
      byId.keySet()
          .forEach(id -> {
            String other = spellings.put(AgentId.fold(id), id);
            if (other != null) {
              faults.accept(PolicyFault.at(place + "." + id, "is the same agent as " + other));
            }
          });
    }
    return new Entities(
        Collections.unmodifiableMap(byId), Collections.unmodifiableMap(spellings), others, trusted);
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

  /** Returns whether subjects of the type are agents that may have a hosted passport. */
  public static boolean isAgent(String type) {
    return type.equals(AGENT) || type.equals(IDENTITY);
  }

  /** Returns whether the pack lists the subject by its id, for an agent in any spelling. */
  public boolean lists(String type, String id) {
    return subjects.getOrDefault(type, Entities.NONE).listed().containsKey(spelled(type, id));
  }

  /** Returns the subject's id as the pack spells it; an id that it does not list unchanged. */
  public String spelled(String type, String id) {
    return subjects.getOrDefault(type, Entities.NONE).spelled(id);
  }

  /** Returns whether the pack admits subjects of the type that it does not list. */
  public boolean isOpen(String type) {
    return subjects.getOrDefault(type, Entities.NONE).others().isPresent();
  }

  /**
   * Returns the first action that only one of the two packs can evaluate, because both list it for
   * a type of resource or one has it as its id.
   */
  public static Optional<String> sharedAction(PolicyPack one, PolicyPack other) {
    return one.model().stream()
        .flatMap(model -> model.actions().stream().filter(action -> model.shares(action, other)))
        .findFirst()
        .or(() ->
            other
                .model()
                .filter(m -> m.actions().contains(one.id().value()))
                .map(_ -> one.id())
                .map(PolicyId::value));
  }

  private boolean shares(String action, PolicyPack other) {
    return other.id().value().equals(action)
        || other
            .model()
            .filter(theirs -> theirs.actions().contains(action))
            .filter(theirs ->
                resources.isEmpty()
                    || theirs.resources().isEmpty()
                    || !Collections.disjoint(resources.keySet(), theirs.resources().keySet()))
            .isPresent();
  }

  /** Adds the pack's properties to the subject and the resource of a context. */
  public Completed complete(JsonObject sent) {
    JsonObject context = spelled(spelled(sent, "subject", subjects), "resource", resources);
    Completed subject = complete(Completed.unchanged(context), "subject", subjects);
    return complete(subject, "resource", resources);
  }

  /** Returns the context with an agent's id in the only spelling that rules need to know. */
  private static JsonObject spelled(
      JsonObject context, String member, Map<String, Entities> byType) {
    JsonObject entity = context.child(member);
    Optional<String> id = entity.string("id");
    String type = entity.text("type");
    if (id.isEmpty() || !isAgent(type)) {
      return context;
    }
    String plain = AgentId.isPlain(id.get()) ? AgentId.fold(id.get()) : id.get();
    String known = byType.getOrDefault(type, Entities.NONE).spelled(plain);
    return context.with(member, entity.with("id", known));
  }

  private static Completed complete(Completed before, String member, Map<String, Entities> byType) {
    JsonObject entity = before.context().child(member);
    Optional<String> id = entity.string("id");
    Entities known = byType.getOrDefault(entity.text("type"), Entities.NONE);
    JsonObject sent = entity.child(PROPERTIES);
    JsonValue given = entity.present(PROPERTIES);
    if (id.isEmpty() || (given != null && !(given instanceof JsonObject) && !known.trusted())) {
      return before; // the pack's schema checks it
    }
    JsonObject.Builder all = sent.toBuilder();
    var added = new ArrayList<String>();
    var ignored = new ArrayList<String>();
    known
        .properties(id.get())
        .forEach((name, value) -> {
          if (!sent.has(name) || known.trusted()) {
            all.put(name, value);
            added.add(name);
          }
          if (sent.has(name) && known.trusted() && !value.equals(sent.get(name))) {
            ignored.add(name);
          }
        });
    return added.isEmpty()
        ? before
        : new Completed(
            before.context().with(member, entity.with(PROPERTIES, all.build())),
            named(before.fromPack(), member, added),
            named(before.ignored(), member, ignored));
  }

  private static JsonObject named(JsonObject all, String member, List<String> names) {
    return names.isEmpty() ? all : all.with(member, JsonArray.ofStrings(names));
  }

  /**
   * Returns a recorded context as the caller sent it, without the pack's properties.
   *
   * @param fromPack {@link Completed#fromPack} of the record
   * @param ignored {@link Completed#ignored} of the record; their values are not known and become
   *     null
   */
  public static JsonObject sent(JsonObject recorded, JsonObject fromPack, JsonObject ignored) {
    JsonObject context = recorded;
    for (String member : fromPack.names()) {
      JsonObject entity = context.child(member);
      JsonObject properties = entity.child(PROPERTIES);
      for (String name : fromPack.list(member).texts()) {
        properties = properties.without(name);
      }
      for (String name : ignored.list(member).texts()) {
        properties = properties.with(name, JsonNull.NULL);
      }
      context = context.with(member, entity.with(PROPERTIES, properties));
    }
    return context;
  }
}
