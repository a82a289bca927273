package dev.safeconduct.passport.catalog;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The published form of the catalogue, from the same tables that check stored passports. */
final class CatalogueSchema {
  private CatalogueSchema() {}

  static JsonObject of(Catalogue catalogue) {
    List<JsonValue> capabilities = new ArrayList<>();
    JsonObject.Builder limits = JsonObject.builder();
    for (KnownCapability capability : catalogue.capabilities()) {
      capabilities.add(capability(capability));
      capability
          .container()
          .ifPresent(
              container -> limits.put(capability.id(), FieldSchema.object(container.fields())));
    }
    return JsonObject.builder()
        .put("version", catalogue.published("version"))
        .put("capabilities", new JsonArray(capabilities))
        .put("limits", limits.build())
        .put(
            "assurance_levels", wires(Stream.of(AssuranceLevel.values()).map(AssuranceLevel::wire)))
        .put("assurance_level_meanings", catalogue.published("assurance_levels"))
        .put("statuses", wires(Stream.of(PassportStatus.values()).map(PassportStatus::wire)))
        .put("regions", catalogue.published("regions"))
        .build();
  }

  private static JsonObject capability(KnownCapability capability) {
    JsonObject.Builder shape =
        JsonObject.builder()
            .put("id", capability.id())
            .put("aliases", JsonArray.ofStrings(capability.aliases()))
            .put("name", capability.name())
            .put("description", capability.description())
            .put("category", capability.category())
            .put("params_schema", FieldSchema.object(capability.params()))
            .put("limits", JsonArray.EMPTY);
    capability
        .container()
        .ifPresent(container ->
            shape
                .put("limits_container", container.key())
                .put(
                    "limits",
                    wires(container.fields().values().stream().map(Field::name).distinct())));
    return shape.build();
  }

  private static JsonArray wires(Stream<String> names) {
    return JsonArray.ofStrings(names.toList());
  }
}
