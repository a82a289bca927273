package dev.safeconduct;

import dev.safeconduct.audit.Recorder;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.store.Store;
import dev.safeconduct.webhook.Notifications;
import dev.safeconduct.webhook.Surroundings;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.function.Consumer;

/** Wires the telling of receivers to the store. */
final class NotificationParts {
  /** The name of the dead letters' file in the data folder. */
  static final String DEAD_LETTERS = "deadletter.jsonl";

  private NotificationParts() {}

  static Notifications of(
      ServiceConfig config,
      InstantSource clock,
      Surroundings surroundings,
      Store store,
      MasterKey master,
      Recorder recorder,
      SecureRandom random,
      Consumer<String> outcomes) {
    return new Notifications(
        new Notifications.Needs(
            config.webhooks(),
            surroundings,
            store.webhooks(),
            store.deliveries(),
            store.passports(),
            master,
            recorder,
            clock,
            random,
            config.dataDir().resolve(DEAD_LETTERS),
            outcomes));
  }
}
