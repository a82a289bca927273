package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import java.util.Map;

/**
 * External values that the operator reports, such as which exchanges are online. A feed that is not
 * reported is unknown and never a reason to deny.
 *
 * @param values by the feed's name
 */
public record Feeds(Map<String, JsonObject> values) {
  /** Feeds without any value. */
  public static final Feeds NONE = new Feeds(Map.of());

  public Feeds {
    values = Map.copyOf(values);
  }

  /** Returns the feed, or an empty object if it is not reported. */
  public JsonObject named(String name) {
    return values.getOrDefault(name, JsonObject.EMPTY);
  }
}
