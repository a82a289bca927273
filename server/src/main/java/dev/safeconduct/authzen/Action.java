package dev.safeconduct.authzen;

import dev.safeconduct.json.JsonObject;
import java.util.Optional;

/** The requested action (AuthZEN section 5.3). */
record Action(String name, Optional<JsonObject> properties) {
  JsonObject seen() {
    return JsonObject.builder()
        .put("name", name)
        .put("properties", properties.orElse(JsonObject.EMPTY))
        .build();
  }

  JsonObject result() {
    return JsonObject.of("name", name);
  }
}
