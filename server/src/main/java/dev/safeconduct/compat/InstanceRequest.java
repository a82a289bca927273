package dev.safeconduct.compat;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import java.util.List;
import java.util.Set;

/**
 * The form in which some clients request an instance. The narrower values are under {@code
 * overrides}, its name is under {@code agent_data}, and its tenant is at the top level.
 */
public final class InstanceRequest {
  private static final List<String> FOR_WHOM =
      List.of("platform_id", "tenant_ref", "controller_id", "controller_type");

  private static final Set<String> NARROWING =
      Set.of("capabilities", "limits", "regions", "mcp", "expires_at", "overrides", "agent_data");

  private InstanceRequest() {}

  /**
   * Returns the body in the current form. A body in the current form is unchanged.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a member with two different values
   */
  public static JsonObject plain(JsonObject body) {
    body.names().forEach(name -> refuseMisspelt("", name));
    JsonObject result = lifted(lifted(body, "overrides"), "agent_data");
    boolean hasMetadata = result.has("metadata");
    JsonObject.Builder forWhom = JsonObject.builder();
    for (String name : FOR_WHOM) {
      JsonValue value = body.present(name);
      if (value != null) {
        forWhom.put(name, value);
      }
      result = hasMetadata ? result : result.without(name);
    }
    JsonObject whom = forWhom.build();
    return whom.isEmpty() || hasMetadata ? result : result.with("metadata", whom);
  }

  /** Refuses a misspelled member. Ignoring it would leave the instance wider than requested. */
  private static void refuseMisspelt(String above, String name) {
    if (!NARROWING.contains(name)) {
      Spelling.nearest(name, NARROWING)
          .ifPresent(meant -> {
            throw ProblemException.invalid(
                above + name, above + name + " is not known; is it " + meant + "?");
          });
    }
  }

  /** Returns the body with the container's members at the top level; other members are faults. */
  private static JsonObject lifted(JsonObject body, String container) {
    JsonObject result = body.without(container);
    JsonValue under = body.present(container);
    if (under != null && !(under instanceof JsonObject)) {
      throw ProblemException.invalid(container, container + " must be an object.");
    }
    JsonObject inner = body.child(container);
    for (String name : inner.names()) {
      refuseMisspelt(container + ".", name);
      JsonValue value = inner.present(name);
      JsonValue there = result.present(name);
      if (value != null && there != null && !there.equals(value)) {
        String path = container + "." + name;
        throw ProblemException.invalid(
            path, path + " contradicts " + name + "; leave one of them out.");
      }
      if (value != null) {
        result = result.with(name, value);
      }
    }
    return result;
  }
}
