package dev.safeconduct.app;

import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.ObserveModes;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.SetObserveMode;
import dev.safeconduct.telemetry.LabeledCounter;
import dev.safeconduct.webhook.EventWatch;
import dev.safeconduct.webhook.NearLimits;
import dev.safeconduct.webhook.Notifications;
import dev.safeconduct.webhook.SecretSeal;
import dev.safeconduct.webhook.WebhookEndpoints;
import dev.safeconduct.webhook.Webhooks;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.DeliveryLog;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.util.List;

/** Notifies webhook endpoints of status changes and other events. */
record WebhookModule(Notifications notifications, EventWatch watch, List<Route> routes)
    implements FeatureModule {
  /** The name of the dead-letter file in the data folder. */
  private static final String DEAD_LETTERS = "deadletter.jsonl";

  static WebhookModule of(
      Platform platform, AccessModule access, WebhookDependencies dependencies, NearLimits limits) {
    Storage store = platform.store();
    LabeledCounter deliveries =
        platform
            .metrics()
            .tally(
                "safeconduct_webhook_deliveries",
                "Events for receivers, after all attempts; failed ones are dead letters",
                "outcome");
    deliveries.add(0, "delivered");
    deliveries.add(0, "failed");
    var log =
        new DeliveryLog(
            new Deliveries(store),
            platform.config().storage().dataDir().resolve(DEAD_LETTERS),
            platform.recorder());
    var notifications =
        new Notifications(
            platform.config().notifications().webhooks(),
            dependencies,
            new Webhooks(store),
            log,
            new Passports(store),
            new SecretSeal(platform.keys().master(), platform.random()),
            platform.recorder(),
            deliveries::count);
    return new WebhookModule(
        notifications,
        new EventWatch(
            platform.events(),
            limits,
            new DecisionCounts(store),
            new ApiKeys(store),
            platform.config().notifications().denySpike(),
            new SetObserveMode(new ObserveModes(store), platform.events(), platform.recorder())
                ::recordEnds,
            platform.clock()),
        new WebhookEndpoints(
                notifications, platform.organization(), access.limits(), platform.events())
            .routes());
  }

  @Override
  public void start() {
    notifications.start();
    watch.start();
  }

  @Override
  public void stop() {
    watch.close();
    notifications.close();
  }
}
