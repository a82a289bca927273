package dev.safeconduct.authzen;

import dev.safeconduct.json.JsonObject;
import java.util.Optional;

/**
 * A subject or a resource (AuthZEN sections 5.1 and 5.2).
 *
 * @param id unique within the type
 * @param properties what the caller says of it; empty when nothing
 */
record Entity(String type, String id, Optional<JsonObject> properties) {

  /** As rules see it: what is known of it, and over that what the caller says of it. */
  JsonObject seen(Optional<JsonObject> known) {
    JsonObject.Builder all = JsonObject.builder();
    known.ifPresent(all::putAll);
    properties.ifPresent(all::putAll);
    return JsonObject.builder()
        .put("type", type)
        .put("id", id)
        .put("properties", all.build())
        .build();
  }

  /** As a search answers it. */
  JsonObject result() {
    return JsonObject.builder().put("type", type).put("id", id).build();
  }
}
