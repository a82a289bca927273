package dev.safeconduct;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.Credentials;
import dev.safeconduct.access.Directory;
import dev.safeconduct.access.KeyEndpoints;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.RevokeKey;
import dev.safeconduct.access.RotateKey;
import dev.safeconduct.access.SignedIn;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.http.Route;
import dev.safeconduct.people.CreateOrganization;
import dev.safeconduct.people.OrganizationEndpoints;
import dev.safeconduct.store.Store;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** What serves organizations and their keys, wired: a part of {@link Service}. */
final class KeyParts {
  private KeyParts() {}

  static Credentials credentials(
      ServiceConfig config,
      InstantSource clock,
      Store store,
      KeyHash adminToken,
      SignedIn sessions) {
    return new Credentials(
        store.apiKeys(),
        store.changes(),
        adminToken,
        sessions,
        config.failedAuthPerMinute(),
        clock);
  }

  static List<Route> routes(
      Store store,
      Directory directory,
      Recorder recorder,
      SecureRandom random,
      CreateKey createKey,
      CreateOrganization createOrganization) {
    ApiKeys apiKeys = store.apiKeys();
    var routes = new ArrayList<Route>();
    routes.addAll(
        new KeyEndpoints(
                apiKeys,
                directory,
                createKey,
                new RevokeKey(apiKeys, directory, recorder),
                new RotateKey(apiKeys, directory, recorder, random))
            .routes());
    routes.addAll(new OrganizationEndpoints(store.organizations(), createOrganization).routes());
    return routes;
  }
}
