package dev.safeconduct.authzen;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.Optional;

/**
 * An access evaluation request: subject, action, resource and context (AuthZEN section 6.1).
 *
 * @param context the environment, as sent
 */
record EvaluationRequest(Entity subject, Action action, Entity resource, JsonObject context) {

  /**
   * Reads the four members of a request; others are ignored (section 10.1.1).
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the member that is missing or of the
   *     wrong type
   */
  static EvaluationRequest read(JsonObject body) {
    return new EvaluationRequest(
        entity(body, "subject"), action(body), entity(body, "resource"), context(body));
  }

  static Entity entity(JsonObject body, String name) {
    JsonObject entity = required(body, name);
    return new Entity(
        text(entity, name, "type"), text(entity, name, "id"), properties(entity, name));
  }

  /** Returns the type of the searched entity. Other members are ignored. */
  static String type(JsonObject body, String name) {
    return text(required(body, name), name, "type");
  }

  static Action action(JsonObject body) {
    JsonObject action = required(body, "action");
    return new Action(text(action, "action", "name"), properties(action, "action"));
  }

  static JsonObject context(JsonObject body) {
    return object(body, "context", "context").orElse(JsonObject.EMPTY);
  }

  private static JsonObject required(JsonObject body, String name) {
    return object(body, name, name)
        .orElseThrow(() -> Problem.invalid(name, name + " is missing.").toException());
  }

  private static Optional<JsonObject> properties(JsonObject entity, String of) {
    return object(entity, "properties", of + ".properties");
  }

  /** Returns an optional object. A JSON null counts as absent. */
  static Optional<JsonObject> object(JsonObject from, String name, String path) {
    JsonValue value = from.present(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof JsonObject object) {
      return Optional.of(object);
    }
    throw Problem.invalid(path, path + " must be an object.").toException();
  }

  private static String text(JsonObject from, String of, String name) {
    String path = of + "." + name;
    JsonValue value = from.present(name);
    if (value instanceof JsonString text) {
      return text.value();
    }
    throw Problem.invalid(path, path + (value == null ? " is missing." : " must be a string."))
        .toException();
  }
}
