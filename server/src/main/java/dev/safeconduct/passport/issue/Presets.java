package dev.safeconduct.passport.issue;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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

  private final JsonObject containers;
  private final JsonObject blocks;
  private final JsonObject kinds;
  private final List<Preset> all = new ArrayList<>();
  private final Map<String, Preset> byFramework = new LinkedHashMap<>();

  private Presets(JsonObject source) {
    this.containers = source.object("containers").orElseThrow();
    this.blocks = source.object("limits").orElseThrow();
    this.kinds = source.object("kinds").orElseThrow();
    List<String> regions = source.array("regions").orElseThrow().texts();
    for (JsonValue each : source.array("presets").orElseThrow()) {
      Preset preset = preset((JsonObject) each, regions);
      all.add(preset);
      preset.frameworks().forEach(framework -> byFramework.put(framework, preset));
    }
  }

  /** Returns the presets of this release. */
  public static Presets builtIn() {
    try (InputStream in =
        Objects.requireNonNull(Presets.class.getResourceAsStream("/presets.json"))) {
      return new Presets(Json.parseObject(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonFault e) {
      throw new IllegalStateException("the presets are broken", e);
    }
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

  /** Returns every capability of any preset. */
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
    String product = json.string("product").orElse("");
    var frameworks = new ArrayList<>(List.of(json.string("id").orElseThrow()));
    json.array("also").ifPresent(also -> frameworks.addAll(also.texts()));
    List<String> capabilities = json.array("capabilities").orElseThrow().texts();
    JsonObject limits = limits(capabilities);
    if (json.object("limits").isPresent()) {
      limits = overlaid(limits, json.object("limits").get());
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
   * @throws dev.safeconduct.error.ProblemException 400 without a preset of this release
   */
  public JsonObject template(Members file) {
    JsonObject own = file.object().without(PRESET);
    JsonObject base =
        find(file.text(PRESET).orElseThrow(() -> file.missing(PRESET)))
            .orElseThrow(() ->
                file.fault(
                    PRESET,
                    "preset must be an id of GET /api/public/framework-passport-presets, for"
                        + " example claude-code."))
            .json()
            .without("id")
            .without("status");
    JsonObject limits = base.object("limits").orElse(JsonObject.EMPTY);
    if (own.get("capabilities") instanceof JsonArray held) {
      Set<String> used =
          held.elements().stream()
              .map(each -> each instanceof JsonObject object ? object.get("id") : each)
              .map(id -> id instanceof JsonString(String text) ? text : "")
              .map(id -> containers.string(id).orElse(id))
              .collect(Collectors.toUnmodifiableSet());
      limits = limits.only(limits.names().stream().filter(used::contains).toList());
    }
    JsonObject.Builder template = base.toBuilder().put("limits", limits).putAll(own);
    if (own.get("limits") instanceof JsonObject over) {
      template.put("limits", overlaid(limits, over));
    }
    return template.build();
  }

  /** Returns the limits with some of them replaced. */
  static JsonObject overlaid(JsonObject blocks, JsonObject over) {
    JsonObject result = blocks;
    for (String container : over.names()) {
      JsonObject block = result.object(container).orElse(JsonObject.EMPTY);
      JsonObject above = over.object(container).orElse(JsonObject.EMPTY);
      for (String name : above.names()) {
        block = block.with(name, Objects.requireNonNull(above.get(name)));
      }
      result = result.with(container, block);
    }
    return result;
  }
}
