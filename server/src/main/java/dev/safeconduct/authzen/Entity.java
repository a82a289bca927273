package dev.safeconduct.authzen;

import dev.safeconduct.json.JsonObject;
import java.util.Optional;

/**
 * A subject or a resource (AuthZEN sections 5.1 and 5.2).
 *
 * @param id unique within the type
 * @param properties the properties that the caller sends, if any
 */
record Entity(String type, String id, Optional<JsonObject> properties) {

  /** Returns the entity for rules. */
  JsonObject seen() {
    return JsonObject.builder()
        .put("type", type)
        .put("id", id)
        .put("properties", properties.orElse(JsonObject.EMPTY))
        .build();
  }

  JsonObject result() {
    return JsonObject.builder().put("type", type).put("id", id).build();
  }
}
