package dev.safeconduct.app;

import dev.safeconduct.http.LabeledCounter;
import dev.safeconduct.http.Route;
import dev.safeconduct.webhook.Notifications;
import dev.safeconduct.webhook.WebhookEndpoints;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.util.List;

/** Notifies webhook endpoints of status changes. */
record WebhookModule(Notifications notifications, List<Route> routes) implements FeatureModule {
  /** The name of the dead-letter file in the data folder. */
  private static final String DEAD_LETTERS = "deadletter.jsonl";

  static WebhookModule of(Platform platform, WebhookDependencies dependencies) {
    Store store = platform.store();
    LabeledCounter deliveries =
        platform
            .metrics()
            .tally("safeconduct.webhook.deliveries", "Events sent to receivers", "outcome");
    var notifications =
        new Notifications(
            new Notifications.Needs(
                platform.config().notifications().webhooks(),
                dependencies,
                store.webhooks(),
                store.deliveries(),
                store.passports(),
                platform.keys().master(),
                platform.recorder(),
                platform.clock(),
                platform.random(),
                platform.config().storage().dataDir().resolve(DEAD_LETTERS),
                deliveries::count));
    return new WebhookModule(
        notifications, new WebhookEndpoints(notifications, platform.organization()).routes());
  }

  @Override
  public void stop() {
    notifications.close();
  }
}
