package dev.safeconduct.app;

import dev.safeconduct.http.Route;
import java.util.ArrayList;
import java.util.List;

/**
 * A feature with its routes and its background work. {@link Application} calls the methods of all
 * modules in the order in which it lists them.
 */
interface FeatureModule {
  default List<Route> routes() {
    return List.of();
  }

  /** Starts the background work. */
  default void start() {}

  /** Ends long-running requests. Called while requests are still running. */
  default void stop() {}

  /** Releases the remaining resources. Called after the last request. */
  default void close() {}

  @SafeVarargs
  static List<Route> all(List<Route>... routes) {
    var all = new ArrayList<Route>();
    for (List<Route> each : routes) {
      all.addAll(each);
    }
    return List.copyOf(all);
  }
}
