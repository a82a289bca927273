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
import dev.safeconduct.access.SharedRateLimits;
import dev.safeconduct.access.SignedIn;
import dev.safeconduct.access.people.CreateOrganization;
import dev.safeconduct.access.people.OrganizationEndpoints;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.db.PostgresDatabase;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import java.util.List;
import java.util.Optional;

/**
 * Organizations, their API keys, and rate limits.
 *
 * @param limits the rate limits, counted across all nodes where the database is shared
 * @param shared the same limits there; empty where there is only one node
 */
record AccessModule(
    CreateOrganization createOrganization,
    CreateKey createKey,
    RateLimits limits,
    Optional<SharedRateLimits> shared,
    RequestLimits requestLimits,
    List<Route> routes)
    implements FeatureModule {
  static AccessModule of(Platform platform) {
    Storage store = platform.store();
    ApiKeys apiKeys = new ApiKeys(store);
    apiKeys.demandOwn(platform.cell());
    Directory directory = platform.directory();
    var recorder = platform.recorder();
    var createOrganization = new CreateOrganization(new Organizations(store), recorder);
    var createKey = new CreateKey(apiKeys, directory, recorder, platform.cell(), platform.random());
    RateLimits local = new LocalRateLimits(platform.clock());
    Optional<SharedRateLimits> shared =
        store.database() instanceof PostgresDatabase database
            ? Optional.of(new SharedRateLimits(database, platform.clock()))
            : Optional.empty();
    RateLimits limits = shared.<RateLimits>map(each -> each).orElse(local);
    RateLimitConfig config = platform.config().limits();
    return new AccessModule(
        createOrganization,
        createKey,
        limits,
        shared,
        new RequestLimits(
            local, limits, config.publicPerAddress(), config.verifyPerKey(), config.verifyPerOrg()),
        FeatureModule.all(
            new KeyEndpoints(
                    apiKeys,
                    directory,
                    createKey,
                    new RevokeKey(apiKeys, directory, recorder),
                    new RotateKey(apiKeys, directory, recorder, platform.cell(), platform.random()))
                .routes(),
            new OrganizationEndpoints(new Organizations(store), createOrganization).routes()));
  }

  @Override
  public void close() {
    shared.ifPresent(SharedRateLimits::close);
  }

  /** Identifies the caller of a request by the admin token, an API key or a session. */
  static Credentials credentials(Platform platform, KeyHash adminToken, SignedIn sessions) {
    return new Credentials(
        new ApiKeys(platform.store()),
        platform.store().changes(),
        adminToken,
        sessions,
        platform.cell(),
        platform.config().limits().failedAuthPerAddress(),
        platform.clock());
  }
}
