package dev.safeconduct.app;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Endpoint;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Cell;
import java.util.List;
import java.util.Optional;

/** Routes of a cell, which answer 421 instead of 404 for an agent whose id names another cell. */
final class OwnCell {
  private OwnCell() {}

  /** Returns the routes unchanged if the deployment is not a cell. */
  static List<Route> routes(Cell cell, List<Route> routes) {
    return cell.isNone()
        ? routes
        : routes.stream().map(route -> route.with(explaining(cell, route.endpoint()))).toList();
  }

  private static Endpoint explaining(Cell cell, Endpoint endpoint) {
    return request -> {
      try {
        return endpoint.handle(request);
      } catch (ProblemException e) {
        throw elsewhere(cell, e.problem()).map(Problem::toException).orElse(e);
      }
    };
  }

  private static Optional<Problem> elsewhere(Cell cell, Problem problem) {
    return problem instanceof Problem.NotFound gone
        ? Optional.ofNullable(gone.details().get("agent_id")).flatMap(cell::refusal)
        : Optional.empty();
  }
}
