package dev.safeconduct.http;

import java.util.Set;

/**
 * One method on one path, who may call it and what answers. A path is literal segments and {@code
 * {name}} parameters, where a literal wins over a parameter; a last segment {@code {name...}} takes
 * all that is left. A slash at the end of a request's path counts only for a route whose path has
 * one.
 *
 * @param verifies whether errors at this path say {@code "allow": false} and answers of this route
 *     carry {@code Server-Timing}
 */
public record Route(
    String method,
    String path,
    Permission permission,
    BodyRule body,
    boolean verifies,
    Endpoint endpoint) {
  private static final Set<String> HEALTH =
      Set.of("/healthz", "/readyz", "/health", "/api/health", "/api/status");

  public Route {
    if (!path.startsWith("/") || path.contains("//")) {
      throw new IllegalArgumentException("a route's path begins with one slash: " + path);
    }
  }

  public static Route get(String path, Permission permission, Endpoint endpoint) {
    return new Route("GET", path, permission, BodyRule.NONE, false, endpoint);
  }

  public static Route post(String path, Permission permission, Endpoint endpoint) {
    return new Route("POST", path, permission, BodyRule.SMALL, false, endpoint);
  }

  public static Route put(String path, Permission permission, Endpoint endpoint) {
    return new Route("PUT", path, permission, BodyRule.SMALL, false, endpoint);
  }

  public static Route patch(String path, Permission permission, Endpoint endpoint) {
    return new Route("PATCH", path, permission, BodyRule.SMALL, false, endpoint);
  }

  public static Route delete(String path, Permission permission, Endpoint endpoint) {
    return new Route("DELETE", path, permission, BodyRule.NONE, false, endpoint);
  }

  /** The same route with bodies up to 12 MiB. */
  public Route large() {
    return new Route(method, path, permission, BodyRule.LARGE, verifies, endpoint);
  }

  /** The same route as one that decides by the transport rules of OpenID AuthZEN. */
  public Route authzen() {
    return new Route(method, path, permission, BodyRule.AUTHZEN, true, endpoint);
  }

  /** The same route taking an HTML form in place of JSON. */
  public Route form() {
    return new Route(method, path, permission, BodyRule.FORM, verifies, endpoint);
  }

  /** The same route as one that answers whether an agent may act. */
  public Route verify() {
    return new Route(method, path, permission, body, true, endpoint);
  }

  /** A question of a supervisor, never counted against anybody. */
  public boolean isHealthCheck() {
    return HEALTH.contains(path);
  }

  /** A public read: its answer is for pages of any origin. */
  boolean isPublicRead() {
    return method.equals("GET")
        && (permission instanceof Permission.Open
            || permission instanceof Permission.OptionalCredential);
  }
}
