package dev.safeconduct.passport.catalog;

import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The published form of the catalogue, from the same tables that check stored passports. */
final class CatalogueSchema {
  private static final JsonObject STRING = typed("string").build();

  private CatalogueSchema() {}

  static JsonObject of(Catalogue catalogue) {
    List<JsonValue> capabilities = new ArrayList<>();
    JsonObject.Builder limits = JsonObject.builder();
    for (KnownCapability capability : catalogue.capabilities()) {
      capabilities.add(capability(capability));
      capability
          .container()
          .ifPresent(container -> limits.put(capability.id(), object(container.fields())));
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
            .put("params_schema", object(capability.params()))
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

  /** Returns the schema of an object with exactly these fields. */
  static JsonObject object(Map<String, Field> fields) {
    // A required field may appear under its alias, which "required" cannot express.
    Set<String> required = new LinkedHashSet<>();
    fields.values().stream()
        .filter(field -> field.required() && field.aliases().isEmpty())
        .forEach(field -> required.add(field.name()));
    JsonObject.Builder schema = typed("object").put("properties", properties(fields).build());
    if (!required.isEmpty()) {
      schema.put("required", JsonArray.ofStrings(required));
    }
    return schema.put("additionalProperties", false).build();
  }

  private static JsonObject.Builder properties(Map<String, Field> fields) {
    JsonObject.Builder properties = JsonObject.builder();
    fields.forEach((name, field) -> properties.put(name, described(name, field)));
    return properties;
  }

  private static JsonObject described(String name, Field field) {
    JsonObject.Builder schema = JsonObject.builder().putAll(plain(field));
    if (field.perType()) {
      JsonObject each = schema.build();
      JsonObject byType = typed("object").put("additionalProperties", each).build();
      schema = JsonObject.builder().put("anyOf", JsonArray.of(each, byType));
    }
    String description = description(name, field);
    if (!description.isEmpty()) {
      schema.put("description", description);
    }
    if (field.preset().isPresent()) {
      schema.put("default", field.preset().get());
    }
    return schema.build();
  }

  private static String description(String name, Field field) {
    String alias = name.equals(field.name()) ? "" : "Another name of " + field.name() + ".";
    String unit = field.unit().isEmpty() ? "" : "Unit: " + field.unit() + ".";
    String when = field.requiredWhen().isEmpty() ? "" : "Needed when " + field.requiredWhen() + ".";
    return String.join(" ", Stream.of(alias, unit, when).filter(s -> !s.isEmpty()).toList());
  }

  private static JsonObject plain(Field field) {
    return switch (field.type()) {
      case STRING_LIST, PATH_LIST, PATH_PATTERN_LIST, DOMAIN_LIST, URL_LIST -> list(STRING);
      case CSV_LIST -> anyOf(list(STRING), STRING);
      case RECIPIENT_LIST ->
          list(
              anyOf(
                  STRING,
                  typed("object")
                      .put("properties", properties(field.members()).put("id", STRING).build())
                      .put("required", JsonArray.ofStrings(List.of("id")))
                      .build()));
      case OBJECT_LIST -> list(object(field.members()));
      case NUMBER -> typed("number").put("minimum", 0).build();
      case BOOLEAN, FLAG -> typed("boolean").build();
      case TEXT -> field.choices().isEmpty() ? STRING : choice(field.choices());
      case LEVEL -> choice(Stream.of(AssuranceLevel.values()).map(AssuranceLevel::wire).toList());
      case OBJECT -> object(field.members());
      case MAP -> map(field);
    };
  }

  private static JsonObject map(Field field) {
    JsonObject.Builder schema = typed("object");
    if (field.currencyKeys()) {
      schema.put("propertyNames", JsonObject.of("pattern", "^[A-Z]{3}$"));
    }
    Field values = field.values().orElseThrow();
    return schema.put("additionalProperties", described(values.name(), values)).build();
  }

  private static JsonObject choice(List<String> choices) {
    return typed("string").put("enum", JsonArray.ofStrings(choices)).build();
  }

  private static JsonObject list(JsonObject items) {
    return typed("array").put("items", items).build();
  }

  private static JsonObject anyOf(JsonObject one, JsonObject other) {
    return JsonObject.of("anyOf", JsonArray.of(one, other));
  }

  private static JsonObject.Builder typed(String type) {
    return JsonObject.builder().put("type", type);
  }
}
