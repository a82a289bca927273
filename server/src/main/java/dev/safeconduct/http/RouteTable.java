package dev.safeconduct.http;

import dev.safeconduct.error.ProblemException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All routes as a tree of path segments. At each segment the literal branch is tried before the
 * parameter, and the parameter before a rest parameter.
 */
final class RouteTable {
  private static final int MAX_PARAMS = 8;

  /** The longest path that is kept. */
  private static final int MOST_KEPT = 64;

  private final Node root = new Node();

  /**
   * The last paths of decisions by hash: most requests ask for few. Threads write without a lock: a
   * match never changes. Other paths may hold the token of a link.
   */
  private final @Nullable Match[] kept = new Match[256];

  RouteTable(List<Route> routes) {
    routes.forEach(this::add);
  }

  /** Returns the resource at the path, whatever its methods; empty when there is none. */
  Optional<Match> find(String path) {
    int place = path.hashCode() & (kept.length - 1);
    Match last = kept[place];
    if (last != null && last.path.equals(path)) {
      return Optional.of(last);
    }
    String[] values = new String[MAX_PARAMS];
    Resource found = descend(root, path, 1, values, 0);
    if (found == null) {
      return Optional.empty();
    }
    var match = new Match(path, found, values);
    if (path.length() <= MOST_KEPT && match.verifies("POST")) {
      kept[place] = match;
    }
    return Optional.of(match);
  }

  /** Returns the resource at the path of a request that is refused before routing. */
  Optional<Match> refused(String target) {
    int query = target.indexOf('?');
    try {
      return find(RequestPath.canonical(query < 0 ? target : target.substring(0, query)));
    } catch (ProblemException _) {
      return Optional.empty();
    }
  }

  private static @Nullable Resource descend(
      Node node, String path, int from, String[] values, int params) {
    if (from >= path.length()) {
      // At "/a/" the slash is significant for a route that ends with one; all other routes ignore
      // it.
      boolean slash = path.length() > 1 && path.charAt(path.length() - 1) == '/';
      return slash && node.withSlash != null ? node.withSlash : node.plain;
    }
    int slash = path.indexOf('/', from);
    int end = slash < 0 ? path.length() : slash;
    String segment = PercentCoding.decode(path.substring(from, end), false, "path");
    Node literal = node.literals.get(segment);
    if (literal != null) {
      Resource found = descend(literal, path, end + 1, values, params);
      if (found != null) {
        return found;
      }
    }
    if (node.parameter != null && params < MAX_PARAMS) {
      Resource found = descend(node.parameter, path, end + 1, values, params + 1);
      if (found != null) {
        values[params] = segment;
        return found;
      }
    }
    if (node.rest != null && params < MAX_PARAMS) {
      values[params] = PercentCoding.decode(path.substring(from), false, "path");
      return node.rest;
    }
    return null;
  }

  private void add(Route route) {
    Node node = root;
    var names = new ArrayList<String>();
    String path = route.path();
    int from = 1;
    while (from < path.length()) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      String segment = path.substring(from, end);
      from = end + 1;
      if (segment.startsWith("{") && segment.endsWith("...}")) {
        names.add(segment.substring(1, segment.length() - 4));
        node.rest = node.rest == null ? new Resource() : node.rest;
        node.rest.add(route, names);
        return;
      }
      if (segment.startsWith("{") && segment.endsWith("}")) {
        names.add(segment.substring(1, segment.length() - 1));
        node.parameter = node.parameter == null ? new Node() : node.parameter;
        node = node.parameter;
      } else {
        node = node.literals.computeIfAbsent(segment, _ -> new Node());
      }
    }
    if (path.length() > 1 && path.endsWith("/")) {
      node.withSlash = node.withSlash == null ? new Resource() : node.withSlash;
      node.withSlash.add(route, names);
    } else {
      node.plain = node.plain == null ? new Resource() : node.plain;
      node.plain.add(route, names);
    }
  }

  private static final class Node {
    private final Map<String, Node> literals = new HashMap<>();
    private @Nullable Node parameter;
    private @Nullable Resource plain;
    private @Nullable Resource withSlash;
    private @Nullable Resource rest;
  }

  /** The resource at one path: a route for each method, and the names of the path's parameters. */
  private static final class Resource {
    private final Map<String, Bound> byMethod = new HashMap<>();

    private void add(Route route, List<String> names) {
      if (byMethod.put(route.method(), new Bound(route, List.copyOf(names))) != null) {
        throw new IllegalArgumentException(route.method() + " " + route.path() + " stands twice");
      }
    }
  }

  private record Bound(Route route, List<String> names) {}

  /** A path that exists, with the values of its parameters. */
  static final class Match {
    private final String path;
    private final Resource resource;
    private final String[] values;

    private Match(String path, Resource resource, String[] values) {
      this.path = path;
      this.resource = resource;
      this.values = values;
    }

    /** Returns the route for the method; {@code HEAD} is served by {@code GET}. */
    Optional<Route> route(String method) {
      Bound bound = bound(method);
      return bound == null ? Optional.empty() : Optional.of(bound.route);
    }

    /**
     * Returns whether an error here contains {@code "allow": false}. For a method without a route,
     * it does when any other method of this path verifies.
     */
    boolean verifies(String method) {
      Bound bound = bound(method);
      return bound == null
          ? resource.byMethod.values().stream().anyMatch(other -> other.route.verifies())
          : bound.route.verifies();
    }

    String param(String method, String name) {
      Bound bound = bound(method);
      int at = bound == null ? -1 : bound.names.indexOf(name);
      if (at < 0) {
        throw new IllegalArgumentException("the route has no parameter " + name);
      }
      return values[at];
    }

    /** Returns the methods in alphabetical order, for the {@code Allow} header. */
    List<String> methods() {
      var methods = new ArrayList<>(resource.byMethod.keySet());
      if (methods.contains("GET") && !methods.contains("HEAD")) {
        methods.add("HEAD");
      }
      if (!methods.contains("OPTIONS")) {
        methods.add("OPTIONS");
      }
      methods.sort(null);
      return methods;
    }

    private @Nullable Bound bound(String method) {
      Bound bound = resource.byMethod.get(method);
      return bound == null && method.equals("HEAD") ? resource.byMethod.get("GET") : bound;
    }
  }
}
