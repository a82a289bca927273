package dev.safeconduct.app;

import dev.safeconduct.audit.Erasures;
import dev.safeconduct.audit.RetentionResource;
import dev.safeconduct.deploy.ApplyResources;
import dev.safeconduct.deploy.DeployEndpoints;
import dev.safeconduct.deploy.Deployments;
import dev.safeconduct.feed.FeedResources;
import dev.safeconduct.feed.FeedStore;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.simulate.PlanEffects;
import dev.safeconduct.webhook.WebhookResources;
import java.util.List;

/** Organizations as files: plan, apply and pull. */
record DeployModule(List<Route> routes) implements FeatureModule {
  static DeployModule of(
      Platform platform, PassportModule passports, PolicyModule policies, WebhookModule webhooks) {
    Storage store = platform.store();
    var deployments = new Deployments(platform.store());
    return new DeployModule(
        new DeployEndpoints(
                new ApplyResources(
                    List.of(
                        passports.resources(),
                        policies.resources(),
                        new WebhookResources(webhooks.notifications(), new Passports(store)),
                        new RetentionResource(new Erasures(store), platform.recorder()),
                        new FeedResources(new FeedStore(store), platform.recorder())),
                    deployments,
                    platform.recorder()),
                deployments,
                new PlanEffects(
                    store.reads(),
                    policies.reader(),
                    policies.catalog(),
                    policies.hosted(),
                    policies.decisionPoint(),
                    platform.clock()),
                platform.organization())
            .routes());
  }
}
