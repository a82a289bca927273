package dev.safeconduct.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One method on one path, with its permission and its endpoint. A path has literal segments and
 * {@code {name}} parameters; a literal takes precedence over a parameter. A last segment {@code
 * {name...}} matches the rest of the path. A slash at the end of a request's path is significant
 * only for a route whose path has one.
 *
 * @param verifies whether errors at this path contain {@code "allow": false} and responses of this
 *     route have {@code Server-Timing}
 * @param deploys whether a deploy token of the organization may call it, too
 * @param failures answers failures of this route; null for the common error format
 */
public record Route(
    String method,
    String path,
    Permission permission,
    BodyRule body,
    boolean verifies,
    boolean deploys,
    Endpoint endpoint,
    @Nullable FailureAnswer failures) {
  private static final Set<String> HEALTH =
      Set.of("/healthz", "/readyz", "/health", "/api/health", "/api/status");

  public Route {
    if (!path.startsWith("/") || path.contains("//")) {
      throw new IllegalArgumentException("a route's path begins with one slash: " + path);
    }
  }

  public static Route get(String path, Permission permission, Endpoint endpoint) {
    return new Route("GET", path, permission, BodyRule.NONE, false, false, endpoint, null);
  }

  public static Route post(String path, Permission permission, Endpoint endpoint) {
    return new Route("POST", path, permission, BodyRule.SMALL, false, false, endpoint, null);
  }

  public static Route put(String path, Permission permission, Endpoint endpoint) {
    return new Route("PUT", path, permission, BodyRule.SMALL, false, false, endpoint, null);
  }

  public static Route patch(String path, Permission permission, Endpoint endpoint) {
    return new Route("PATCH", path, permission, BodyRule.SMALL, false, false, endpoint, null);
  }

  public static Route delete(String path, Permission permission, Endpoint endpoint) {
    return new Route("DELETE", path, permission, BodyRule.NONE, false, false, endpoint, null);
  }

  /** Returns the same route with another endpoint. */
  public Route with(Endpoint other) {
    return new Route(method, path, permission, body, verifies, deploys, other, failures);
  }

  /** Returns the same route for other callers. */
  public Route with(Permission other) {
    return new Route(method, path, other, body, verifies, deploys, endpoint, failures);
  }

  /** Returns the same route with bodies up to 12 MiB. */
  public Route large() {
    return new Route(
        method, path, permission, BodyRule.LARGE, verifies, deploys, endpoint, failures);
  }

  /** Returns the same route with the transport rules of OpenID AuthZEN. */
  public Route authzen() {
    return new Route(method, path, permission, BodyRule.AUTHZEN, true, deploys, endpoint, failures);
  }

  /** Returns the same route with an HTML form in place of JSON. */
  public Route form() {
    return new Route(
        method, path, permission, BodyRule.FORM, verifies, deploys, endpoint, failures);
  }

  /** Returns the same route as a verify route, which decides whether an agent may act. */
  public Route verify() {
    return new Route(method, path, permission, body, true, deploys, endpoint, failures);
  }

  /** Returns the same route as one that a deploy token may call, too. */
  public Route deploy() {
    return new Route(method, path, permission, body, verifies, true, endpoint, failures);
  }

  /** Returns the same route with its own answers to failures. */
  public Route failingWith(FailureAnswer answer) {
    return new Route(method, path, permission, body, verifies, deploys, endpoint, answer);
  }

  /** Returns whether this is a health check, which is exempt from rate limits. */
  public boolean isHealthCheck() {
    return HEALTH.contains(path);
  }

  /** Returns whether this changes nothing, so that a read-only token opens it. */
  boolean isRead() {
    return method.equals("GET") || path.equals("/api/plan");
  }

  /** Returns whether this is a public read, which pages of any origin may call. */
  boolean isPublicRead() {
    return method.equals("GET")
        && !path.contains("{token}") // The token is the credential.
        && (permission instanceof Permission.Open
            || permission instanceof Permission.OptionalCredential);
  }
}
