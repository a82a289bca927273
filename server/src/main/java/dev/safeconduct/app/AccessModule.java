package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.Credentials;
import dev.safeconduct.access.Directory;
import dev.safeconduct.access.KeyEndpoints;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.KeyUse;
import dev.safeconduct.access.LocalRateLimits;
import dev.safeconduct.access.ManageKeys;
import dev.safeconduct.access.ManageTokens;
import dev.safeconduct.access.OperatorTokenEndpoints;
import dev.safeconduct.access.OperatorTokens;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.RequestLimits;
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
 * @param keyUse notes when keys are used
 * @param shared the same limits there; empty where there is only one node
 */
record AccessModule(
    CreateOrganization createOrganization,
    ManageKeys manageKeys,
    RateLimits limits,
    Optional<SharedRateLimits> shared,
    RequestLimits requestLimits,
    OperatorTokens tokens,
    KeyUse keyUse,
    List<Route> routes)
    implements FeatureModule {
  static AccessModule of(Platform platform) {
    Storage store = platform.store();
    ApiKeys apiKeys = new ApiKeys(store);
    apiKeys.demandOwn(platform.cell());
    Directory directory = platform.directory();
    var recorder = platform.recorder();
    var tokens =
        new OperatorTokens(
            store,
            platform.config().operator().adminToken().map(token -> KeyHash.of(token.reveal())));
    var createOrganization = new CreateOrganization(new Organizations(store), recorder);
    var manageKeys =
        new ManageKeys(apiKeys, directory, recorder, platform.cell(), platform.random());
    RateLimits local = new LocalRateLimits(platform.clock());
    Optional<SharedRateLimits> shared =
        store.database() instanceof PostgresDatabase database
            ? Optional.of(new SharedRateLimits(database, platform.clock()))
            : Optional.empty();
    RateLimits limits = shared.<RateLimits>map(each -> each).orElse(local);
    RateLimitConfig config = platform.config().limits();
    return new AccessModule(
        createOrganization,
        manageKeys,
        limits,
        shared,
        new RequestLimits(
            local, limits, config.publicPerAddress(), config.verifyPerKey(), config.verifyPerOrg()),
        tokens,
        new KeyUse(apiKeys),
        FeatureModule.all(
            new KeyEndpoints(apiKeys, directory, manageKeys).routes(),
            new OperatorTokenEndpoints(
                    tokens,
                    new ManageTokens(tokens, recorder, platform.random()),
                    directory,
                    platform.organization()::of)
                .routes(),
            new OrganizationEndpoints(
                    new Organizations(store), createOrganization, directory, recorder)
                .routes()));
  }

  @Override
  public void start() {
    keyUse.start();
  }

  @Override
  public void close() {
    keyUse.close();
    shared.ifPresent(SharedRateLimits::close);
  }

  /**
   * Identifies the caller of a request by the admin token, an operator's token, an API key or a
   * session.
   */
  Credentials credentials(Platform platform, SignedIn sessions) {
    return new Credentials(
        new ApiKeys(platform.store()),
        platform.store().changes(),
        tokens,
        sessions,
        platform.cell(),
        platform.config().limits().failedAuthPerAddress(),
        keyUse,
        platform.clock());
  }
}
