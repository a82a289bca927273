package dev.safeconduct.deploy;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An object as a file describes it.
 *
 * @param place its place in the request, for errors: {@code resources[2]}
 * @param kind the kind that the file names, for example {@code Passport}
 * @param body its members without the kind
 */
public record Resource(String place, String kind, JsonObject body) {
  /** Returns the members, for reading. */
  public Members members() {
    return Members.of(body);
  }

  /** Runs a step of planning; its faults name this resource. */
  public <T> T located(Supplier<T> step) {
    try {
      return step.get();
    } catch (ProblemException e) {
      throw located(e.problem()).toException();
    }
  }

  private Problem located(Problem problem) {
    return switch (problem) {
      case Problem.InvalidRequest(String message, Optional<String> field) ->
          Problem.invalid(place + field.map(name -> "." + name).orElse(""), message);
      case Problem.NotFound notFound -> Problem.invalid(place, notFound.message());
      case Problem.Conflict(String message, String reason) ->
          new Problem.Conflict(place + ": " + message, reason);
      case Problem.Forbidden(String message) -> new Problem.Forbidden(place + ": " + message);
      case Problem.InvalidPolicy(String message, var faults) ->
          new Problem.InvalidPolicy(place + ": " + message, faults);
      case Problem.InvalidScope _,
          Problem.Unauthorized _,
          Problem.MethodNotAllowed _,
          Problem.Gone _,
          Problem.PayloadTooLarge _,
          Problem.UnsupportedMediaType _,
          Problem.Misdirected _,
          Problem.RateLimited _,
          Problem.Unavailable _ ->
          problem;
    };
  }
}
