package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Calls to the HTTP API by pages and MCP tools, without a socket. They use the same routes, each
 * with its own permission check, so that pages contain no access rules.
 *
 * <p>An operator acts in their organization with their role in it, and as the operator only where
 * the permission requires one. Decision routes accept only dry runs of a session, which cannot make
 * decisions.
 */
public final class InnerCalls {
  private final RouteTable table;

  public InnerCalls(List<Route> routes) {
    this.table = new RouteTable(routes);
  }

  /**
   * Returns whether the person may call the route; pages hide routes that the person may not call.
   */
  public boolean admits(Caller caller, String method, String path) {
    Optional<Route> route = table.find(path).flatMap(match -> match.route(method));
    if (route.isEmpty()) {
      return false;
    }
    try {
      RouteAuthorizer.demand(route.get().permission(), as(route.get().permission(), caller));
      return true;
    } catch (ProblemException _) {
      return false;
    }
  }

  /** Returns whether an API key with the right scope may call the route. */
  public boolean admitsKeys(String method, String path) {
    return table
        .find(path)
        .flatMap(match -> match.route(method))
        .map(Route::permission)
        .filter(permission ->
            permission instanceof Permission.AdminOnly
                || permission instanceof Permission.Administrator
                || permission instanceof Permission.AdminOrUnauthorized)
        .isEmpty();
  }

  /**
   * Calls the route. A response that is not JSON is returned as a JSON string of its text.
   *
   * @param from the page's own request, for its address and its id
   * @param person the user who opened the page
   * @param target path and query, encoded
   * @param body for {@code POST}, {@code PUT} and {@code PATCH}
   * @param asOperator whether an operator acts as the operator on every route
   * @throws dev.safeconduct.error.ProblemException the error of the route
   */
  public JsonValue call(
      Request from,
      Caller person,
      String method,
      String target,
      JsonObject body,
      Map<String, String> headers,
      boolean asOperator) {
    int question = target.indexOf('?');
    String path = question < 0 ? target : target.substring(0, question);
    String query = question < 0 ? "" : target.substring(question + 1);
    RouteTable.Match match = table.find(path).orElseThrow(() -> missing(method, path));
    Route route = match.route(method).orElseThrow(() -> missing(method, path));
    Caller caller = asOperator ? person : as(route.permission(), person);
    RouteAuthorizer.demand(route.permission(), caller);
    var request = new InnerRequest(from, method, path, match, query, caller, body, headers);
    if (route.verifies()
        && isSession(caller)
        && !request.query("dry_run").equals(Optional.of("true"))) {
      throw new Problem.Forbidden("A session decides nothing; use an API key.").toException();
    }
    Response response = route.endpoint().handle(request);
    if (!response.contentType().startsWith(Response.JSON)) {
      return new JsonString(new String(response.body(), StandardCharsets.UTF_8));
    }
    Optional<JsonValue> value = response.value();
    if (value.isPresent()) {
      return value.get();
    }
    try {
      return response.body().length == 0 ? JsonObject.EMPTY : Json.parse(response.body());
    } catch (JsonFault e) {
      throw new IllegalStateException(method + " " + path + " answers no JSON", e);
    }
  }

  private static boolean isSession(Caller caller) {
    return switch (caller) {
      case Caller.Person _ -> true;
      case Caller.Admin(Optional<Caller.Person> person, _) -> person.isPresent();
      case Caller.Key _, Caller.Deploy _, Caller.Anonymous _ -> false;
    };
  }

  private static Caller as(Permission permission, Caller caller) {
    boolean operatorOnly =
        permission instanceof Permission.AdminOnly
            || permission instanceof Permission.AdminOrUnauthorized;
    return !operatorOnly && caller instanceof Caller.Admin(Optional<Caller.Person> person, _)
        ? person.<Caller>map(p -> p).orElse(caller)
        : caller;
  }

  private static IllegalArgumentException missing(String method, String path) {
    return new IllegalArgumentException("there is no " + method + " " + path);
  }
}
