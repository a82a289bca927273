package dev.safeconduct.decision.facts;

import dev.safeconduct.json.JsonObject;
import java.util.Map;

/**
 * What the operator reports of the world outside, such as which exchanges are online. A feed nobody
 * reports is unknown and never a reason to deny.
 *
 * @param values by the feed's name
 */
public record Feeds(Map<String, JsonObject> values) {
  /** Nothing is known. */
  public static final Feeds NONE = new Feeds(Map.of());

  public Feeds {
    values = Map.copyOf(values);
  }

  /** The feed; empty when nobody reports it. */
  public JsonObject named(String name) {
    return values.getOrDefault(name, JsonObject.EMPTY);
  }
}
