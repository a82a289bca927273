package dev.safeconduct.passport.issue;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.LimitContainer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The presets of this release, from {@code presets.json}. The file defines the limits of each
 * capability once, and what the presets of one kind share.
 */
public final class Presets {
  /** The preset for agents of an unknown framework. */
  private static final String GENERAL = "other";

  /** Names the preset in a file. */
  private static final String PRESET = "preset";

  private static final String SLUG = "slug";
  private static final String LIMITS = "limits";

  private final JsonObject containers;
  private final JsonObject blocks;
  private final JsonObject kinds;
  private final List<Preset> all = new ArrayList<>();
  private final Map<String, Preset> byFramework = new LinkedHashMap<>();

  private Presets(JsonObject source) {
    this.containers = source.object("containers").orElseThrow();
    this.blocks = source.object(LIMITS).orElseThrow();
    this.kinds = source.object("kinds").orElseThrow();
    List<String> regions = source.array("regions").orElseThrow().texts();
    for (JsonValue each : source.array("presets").orElseThrow()) {
      Preset preset = preset((JsonObject) each, regions);
      all.add(preset);
      preset.frameworks().forEach(framework -> byFramework.put(framework, preset));
    }
  }

  public static Presets builtIn() {
    return new Presets(ReleaseFile.read("presets.json"));
  }

  public List<Preset> all() {
    return List.copyOf(all);
  }

  /** Returns the preset of the framework, by its id, ignoring case. */
  public Optional<Preset> find(String framework) {
    return Optional.ofNullable(byFramework.get(framework.toLowerCase(Locale.ROOT)));
  }

  Preset general() {
    return Objects.requireNonNull(byFramework.get(GENERAL));
  }

  Set<String> capabilities() {
    var ids = new LinkedHashSet<String>();
    all.forEach(preset -> ids.addAll(preset.capabilities()));
    return ids;
  }

  /**
   * Returns the limits of these capabilities. A capability without limits gets an empty object, so
   * that nothing is allowed.
   */
  JsonObject limits(Iterable<String> capabilities) {
    JsonObject.Builder limits = JsonObject.builder();
    var placed = new LinkedHashSet<String>();
    for (String capability : capabilities) {
      String container = containers.string(capability).orElse(capability);
      JsonValue block = blocks.get(container);
      if (block != null && placed.add(container)) {
        limits.put(container, block);
      }
    }
    return limits.build();
  }

  private Preset preset(JsonObject entry, List<String> regions) {
    JsonObject json =
        entry
            .string("kind")
            .map(kind -> kinds.object(kind).orElseThrow().toBuilder().putAll(entry).build())
            .orElse(entry);
    String product = json.text("product");
    var frameworks = new ArrayList<>(List.of(json.string("id").orElseThrow()));
    json.array("also").ifPresent(also -> frameworks.addAll(also.texts()));
    List<String> capabilities = json.array("capabilities").orElseThrow().texts();
    JsonObject limits = limits(capabilities);
    if (json.object(LIMITS).isPresent()) {
      limits = overlaid(limits, json.object(LIMITS).get());
    }
    return new Preset(
        json.string("name").orElseThrow().replace("{product}", product),
        json.string("description").orElseThrow().replace("{product}", product),
        frameworks,
        json.array("categories").orElseThrow().texts(),
        capabilities,
        limits,
        regions);
  }

  /**
   * Returns the template that a file describes by a preset: what the file leaves out is the
   * preset's, and of its limits, each one.
   *
   * @throws dev.safeconduct.error.ProblemException 400 without a slug, without a preset of this
   *     release, or with limits that would not replace the preset's
   */
  public JsonObject template(Members file) {
    if (!file.has(SLUG)) {
      throw file.missing(SLUG);
    }
    JsonObject own = file.object().without(PRESET);
    JsonObject base =
        find(file.requiredText(PRESET))
            .orElseThrow(() ->
                file.fault(
                    PRESET,
                    "preset must be an id of GET /api/public/framework-passport-presets, for"
                        + " example claude-code."))
            .json()
            .without("id")
            .without("status");
    JsonObject limits = base.child(LIMITS);
    if (own.get("capabilities") instanceof JsonArray held) {
      Set<String> used =
          held.elements().stream()
              .map(each -> each instanceof JsonObject object ? object.get("id") : each)
              .map(id -> id instanceof JsonString(String text) ? text : "")
              .map(Catalogue.builtIn()::containerOf)
              .collect(Collectors.toUnmodifiableSet());
      limits = limits.only(limits.names().stream().filter(used::contains).toList());
    }
    JsonValue over = own.get(LIMITS);
    if (over != null) {
      limits = overlaid(limits, usual(Members.at(file.path(LIMITS), over)));
    }
    return base.toBuilder().putAll(own).put(LIMITS, limits).build();
  }

  /**
   * Returns the limits of a file under their usual names. Under another name they would stand
   * beside the preset's, which a policy may find first.
   */
  private static JsonObject usual(Members limits) {
    Catalogue catalogue = Catalogue.builtIn();
    JsonObject result = JsonObject.EMPTY;
    for (String name : limits.object().names()) {
      if (catalogue.container(name).isEmpty()) {
        demandWhole(limits, name, name);
        if (catalogue.isLimitSomewhere(name)) {
          throw limits.fault(
              name,
              limits.path(name)
                  + " must be among the limits of a capability, for example in messaging.send.");
        }
      }
      String key = catalogue.container(name).map(LimitContainer::key).orElse(name);
      demandOne(limits, name, key, result);
      JsonValue value = Objects.requireNonNull(limits.object().get(name));
      result = result.with(key, usual(name, Members.at(limits.path(name), value)));
    }
    return result;
  }

  private static JsonObject usual(String container, Members block) {
    JsonObject result = JsonObject.EMPTY;
    for (String name : block.object().names()) {
      Optional<String> known = Catalogue.builtIn().canonicalLimit(container, name);
      if (known.isEmpty()) {
        demandWhole(block, name, container + "." + name);
      }
      String key = known.orElse(name);
      demandOne(block, name, key, result);
      result = result.with(key, Objects.requireNonNull(block.object().get(name)));
    }
    return result;
  }

  /** Refuses a member that holds limits of a capability in a further object. */
  private static void demandWhole(Members members, String name, String key) {
    String below = key + ".";
    Set<String> known = Catalogue.builtIn().containerKeys();
    if (known.contains(key) || known.stream().anyMatch(each -> each.startsWith(below))) {
      throw members.fault(
          name, members.path(name) + " must name the whole capability, for example web.fetch.");
    }
  }

  private static void demandOne(Members members, String name, String key, JsonObject before) {
    if (before.has(key)) {
      throw members.fault(
          name,
          members.path(name) + " and another member are names of " + key + "; remove one of them.");
    }
  }

  /** Returns the limits with some of them replaced. */
  static JsonObject overlaid(JsonObject blocks, JsonObject over) {
    JsonObject result = blocks;
    for (String container : over.names()) {
      JsonObject block = result.child(container);
      JsonObject above = over.child(container);
      for (String name : above.names()) {
        block = block.with(name, Objects.requireNonNull(above.get(name)));
      }
      result = result.with(container, block);
    }
    return result;
  }
}
