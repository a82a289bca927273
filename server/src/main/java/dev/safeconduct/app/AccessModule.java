package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.Credentials;
import dev.safeconduct.access.Directory;
import dev.safeconduct.access.KeyEndpoints;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.LocalRateLimits;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.RequestLimits;
import dev.safeconduct.access.RevokeKey;
import dev.safeconduct.access.RotateKey;
import dev.safeconduct.access.SignedIn;
import dev.safeconduct.access.people.CreateOrganization;
import dev.safeconduct.access.people.OrganizationEndpoints;
import dev.safeconduct.http.Route;
import java.util.List;

/**
 * Organizations, their API keys, and rate limits.
 *
 * @param limits the rate limits, counted across all nodes where the database is shared
 */
record AccessModule(
    CreateOrganization createOrganization,
    CreateKey createKey,
    RateLimits limits,
    RequestLimits requestLimits,
    List<Route> routes)
    implements FeatureModule {
  static AccessModule of(Platform platform) {
    Store store = platform.store();
    ApiKeys apiKeys = store.apiKeys();
    Directory directory = platform.directory();
    var recorder = platform.recorder();
    var createOrganization = new CreateOrganization(store.organizations(), recorder);
    var createKey = new CreateKey(apiKeys, directory, recorder, platform.random());
    RateLimits local = new LocalRateLimits(platform.clock());
    RateLimits limits = store.rateLimits(platform.clock()).orElse(local);
    RateLimitConfig config = platform.config().limits();
    return new AccessModule(
        createOrganization,
        createKey,
        limits,
        new RequestLimits(
            local, limits, config.publicPerAddress(), config.verifyPerKey(), config.verifyPerOrg()),
        FeatureModule.all(
            new KeyEndpoints(
                    apiKeys,
                    directory,
                    createKey,
                    new RevokeKey(apiKeys, directory, recorder),
                    new RotateKey(apiKeys, directory, recorder, platform.random()))
                .routes(),
            new OrganizationEndpoints(store.organizations(), createOrganization).routes()));
  }

  /** Identifies the caller of a request by the admin token, an API key or a session. */
  static Credentials credentials(Platform platform, KeyHash adminToken, SignedIn sessions) {
    return new Credentials(
        platform.store().apiKeys(),
        platform.store().changes(),
        adminToken,
        sessions,
        platform.config().limits().failedAuthPerAddress(),
        platform.clock());
  }
}
