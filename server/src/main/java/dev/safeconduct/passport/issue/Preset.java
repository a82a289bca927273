package dev.safeconduct.passport.issue;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;

/**
 * The initial permissions of a new agent of a framework.
 *
 * @param frameworks the ids of its frameworks; the first is its own id
 * @param capabilities ids, as the catalogue spells them
 * @param limits the limits of each capability
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

  /** Returns the published form: the members of a passport, and the preset's id. */
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

  /** Returns capabilities in a passport's form, without parameters. */
  static JsonArray granted(List<String> ids) {
    return new JsonArray(
        ids.stream()
            .<JsonValue>map(
                id -> JsonObject.builder().put("id", id).put("params", JsonObject.EMPTY).build())
            .toList());
  }
}
