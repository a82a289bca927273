package dev.safeconduct;

import dev.safeconduct.compat.OlderEndpoints;
import dev.safeconduct.http.Route;
import dev.safeconduct.store.Store;
import java.util.List;

/** The older addresses open clients still use. */
final class ClientApi {
  private ClientApi() {}

  /** {@code served}: what the older addresses may lead to. */
  static List<Route> older(List<Route> served, Store store) {
    return new OlderEndpoints(served, store.passports()).routes();
  }
}
