package dev.safeconduct.passport.catalog;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The known capabilities, their parameters, and the limits that belong to them. It checks stored
 * passports and is published for authors of passports.
 */
public final class Catalogue {
  private final JsonObject source;
  private final Map<String, KnownCapability> capabilities = new LinkedHashMap<>();
  private final Map<String, KnownCapability> byAlias = new LinkedHashMap<>();
  private final Map<String, LimitContainer> containers = new LinkedHashMap<>();

  private Catalogue(JsonObject source) {
    this.source = source;
    object(source, "containers").forEach((key, body) -> addContainer(key, (JsonObject) body));
    for (JsonValue each : array(source, "capabilities")) {
      addCapability((JsonObject) each);
    }
    for (JsonValue each : array(source, "families")) {
      addFamily((JsonObject) each);
    }
    for (KnownCapability capability : capabilities.values()) {
      capability.aliases().forEach(alias -> byAlias.putIfAbsent(alias, capability));
    }
  }

  /** The catalogue of this release, which many parts of the service read. */
  private static final class BuiltIn {
    static final Catalogue CATALOGUE = new Catalogue(ReleaseFile.read("catalogue.json"));

    private BuiltIn() {}
  }

  public static Catalogue builtIn() {
    return BuiltIn.CATALOGUE;
  }

  /** Returns the capability that the id or alias grants. */
  public Optional<KnownCapability> capability(String id) {
    KnownCapability exact = capabilities.get(id);
    return Optional.ofNullable(exact != null ? exact : byAlias.get(id));
  }

  /** Returns the canonical id of a capability, given that id or an alias. */
  public Optional<String> canonicalId(String id) {
    return capability(id).map(KnownCapability::id);
  }

  /** Returns a short description of the capability. */
  public String title(String id) {
    return capability(id).map(KnownCapability::description).orElse(id);
  }

  /** Returns the canonical name of a limit in a container, given that name or an alias. */
  public Optional<String> canonicalLimit(String container, String name) {
    return container(container)
        .flatMap(found -> Optional.ofNullable(found.fields().get(name)))
        .map(Field::name);
  }

  Collection<KnownCapability> capabilities() {
    return Collections.unmodifiableCollection(capabilities.values());
  }

  public Set<String> capabilityIds() {
    return Collections.unmodifiableSet(capabilities.keySet());
  }

  public Optional<LimitContainer> container(String key) {
    return Optional.ofNullable(containers.get(key));
  }

  /** Returns the key of the container with a capability's limits. */
  public String containerOf(String capability) {
    return capability(capability)
        .flatMap(KnownCapability::container)
        .map(LimitContainer::key)
        .orElse(capability);
  }

  /** Returns all containers, each once. */
  public Set<LimitContainer> containers() {
    return Collections.unmodifiableSet(new LinkedHashSet<>(containers.values()));
  }

  public Set<String> containerKeys() {
    return Collections.unmodifiableSet(containers.keySet());
  }

  /** Returns whether the key is the beginning of a container's. */
  public boolean leadsToContainer(String key) {
    String prefix = key + ".";
    return containers.keySet().stream().anyMatch(each -> each.startsWith(prefix));
  }

  /** Returns whether the name is a limit of any container, as in old flat passports. */
  public boolean isLimitSomewhere(String name) {
    return containers.values().stream().anyMatch(each -> each.fields().containsKey(name));
  }

  /** Returns the member of the catalogue file with that name. */
  JsonValue published(String name) {
    return Objects.requireNonNull(source.get(name));
  }

  private void addContainer(String key, JsonObject body) {
    var container =
        new LimitContainer(key, Field.readAll(object(body, "limits")), body.text("per"));
    containers.put(key, container);
    body.list("also").strings().forEach(k -> containers.put(k, container));
  }

  private void addCapability(JsonObject json) {
    String id = json.string("id").orElseThrow();
    capabilities.put(
        id,
        new KnownCapability(
            id,
            array(json, "aliases").strings().toList(),
            json.string("name").orElseThrow(),
            json.string("description").orElseThrow(),
            json.string("category").orElseThrow(),
            Field.readAll(json.child("params")),
            json.string("container").map(key -> Objects.requireNonNull(containers.get(key)))));
  }

  /** Adds the reserved members of a family. They may be granted, but no pack evaluates them. */
  private void addFamily(JsonObject json) {
    String prefix = json.string("prefix").orElseThrow();
    List<String> verbs = new ArrayList<>(array(json, "verbs").strings().toList());
    for (String verb : verbs) {
      String id = prefix + "." + verb;
      capabilities.put(
          id,
          new KnownCapability(
              id,
              List.of(),
              id,
              "Reserved; no pack evaluates it.",
              json.string("category").orElseThrow(),
              Map.of(),
              Optional.empty()));
    }
  }

  private static JsonObject object(JsonObject json, String name) {
    return json.object(name).orElseThrow();
  }

  private static JsonArray array(JsonObject json, String name) {
    return json.array(name).orElseThrow();
  }
}
