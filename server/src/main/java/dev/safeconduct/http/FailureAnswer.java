package dev.safeconduct.http;

import dev.safeconduct.json.JsonObject;
import java.util.function.UnaryOperator;

/**
 * Answers every failure of a route, also one before its endpoint runs, in the route's own form. For
 * clients that do not read error responses: an agent that calls a hook takes a 401 for consent.
 */
@FunctionalInterface
public interface FailureAnswer {
  /**
   * Returns the response.
   *
   * @param pathParam returns a parameter of the path; see {@link Request#pathParam}
   * @param body the request's body, as far as it was read: not at all if the caller is refused
   * @param error the body of the error response that other routes answer with
   */
  Response of(UnaryOperator<String> pathParam, byte[] body, JsonObject error);
}
