package dev.safeconduct.issuance;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.List;

/**
 * What a new agent of a framework may do before its owner says anything else.
 *
 * @param frameworks the ids it is found by; the first is its own
 * @param capabilities ids, as the catalogue spells them
 * @param limits a block for every capability
 */
public record Preset(
    String name,
    String description,
    List<String> frameworks,
    List<String> categories,
    List<String> capabilities,
    JsonObject limits,
    List<String> regions) {
  static final String ROLE = "agent";

  public Preset {
    frameworks = List.copyOf(frameworks);
    categories = List.copyOf(categories);
    capabilities = List.copyOf(capabilities);
    regions = List.copyOf(regions);
  }

  public String id() {
    return frameworks.getFirst();
  }

  /** As it is published; the members of a passport, and its id. */
  public JsonObject json() {
    return JsonObject.builder()
        .put("id", id())
        .put("name", name)
        .put("role", ROLE)
        .put("description", description)
        .put("framework", JsonArray.ofStrings(List.of(id())))
        .put("categories", JsonArray.ofStrings(categories))
        .put("capabilities", granted(capabilities))
        .put("limits", limits)
        .put("regions", JsonArray.ofStrings(regions))
        .put("status", "active")
        .build();
  }

  /** Capabilities in a passport's form, without parameters. */
  static JsonArray granted(List<String> ids) {
    return new JsonArray(
        ids.stream()
            .<JsonValue>map(id ->
                JsonObject.builder()
                    .put("id", new JsonString(id))
                    .put("params", JsonObject.EMPTY)
                    .build())
            .toList());
  }
}
