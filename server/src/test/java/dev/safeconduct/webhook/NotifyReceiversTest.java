package dev.safeconduct.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.testkit.RecordingSockets;
import dev.safeconduct.testkit.Rooms;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestTicker;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.DeliveryLog;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store may fail after a status change: who can be told is told, and nothing is thrown. */
class NotifyReceiversTest {
  @TempDir Path folder;

  @AutoClose private final Rooms rooms = new Rooms();

  private Notifications notifications(String url, Webhooks webhooks) {
    var config =
        new WebhookConfig(
            ReceiverUrl.parse(url),
            Optional.empty(),
            new RetryPolicy(0, Duration.ZERO, Duration.ofSeconds(5)),
            Duration.ofSeconds(30),
            true,
            true);
    var dependencies =
        new WebhookDependencies(
            name -> {
              throw new UnknownHostException(name);
            },
            new RecordingSockets(),
            () -> {
              throw new AssertionError("no receiver here has TLS");
            },
            new TestTicker(),
            () -> 0.5);
    var random = new SecureRandom();
    var log =
        new DeliveryLog(
            new Deliveries(outOfOrder()), folder.resolve("deadletter.jsonl"), rooms.recorder);
    return new Notifications(
        config,
        dependencies,
        webhooks,
        log,
        rooms.passports,
        new SecretSeal(MasterKey.of("a master key for tests only", random), random),
        rooms.recorder,
        _ -> {});
  }

  /** A store that fails whatever is asked of it. */
  private Storage outOfOrder() {
    Storage store = Storage.open(StoreConfig.sqlite(folder.resolve("store")));
    store.close();
    return store;
  }

  private StatusChange change() {
    return new StatusChange(
        new AgentId("ap_1"),
        rooms.ours,
        PassportStatus.ACTIVE,
        PassportStatus.SUSPENDED,
        rooms.clock.instant(),
        true);
  }

  @Test
  void tellsThoughNothingCanBeNoted() throws IOException {
    try (ScriptedReceiver receiver =
        ScriptedReceiver.answering(
            "HTTP/1.1 204 X\r\n\r\n", "HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n")) {
      Notifications notifications = notifications(receiver.url(), new Webhooks(rooms.store));
      assertThat(notifications.notifyOf(List.of(change())))
          .isEqualTo(new StatusReceivers.Delivery(true, 1, Optional.empty()));
      assertThat(notifications.notifyOf(List.of(change())).error())
          .contains("The receiver answered 400.");
      assertThat(Files.readAllLines(folder.resolve("deadletter.jsonl"))).hasSize(1);
    }
  }

  @Test
  void saysSoWhenReceiversCannotBeFound() {
    Notifications notifications = notifications("http://127.0.0.1:1/", new Webhooks(outOfOrder()));
    assertThat(notifications.notifyOf(List.of(change())))
        .isEqualTo(
            new StatusReceivers.Delivery(
                false, 0, Optional.of("The receivers were not notified; see the service's log.")));
  }

  /** One webhook whose row was altered does not silence the others. */
  @Test
  void anAlteredRowSilencesNobodyElse() {
    try (ScriptedReceiver receiver = ScriptedReceiver.answering("HTTP/1.1 204 X\r\n\r\n")) {
      Webhook altered =
          new Webhook(
              "wh_1",
              rooms.ours,
              ReceiverUrl.parse(receiver.url()).orElseThrow(),
              Optional.empty(),
              List.of("status_change"),
              Format.JSON,
              true,
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              new byte[40],
              Optional.empty(),
              1,
              rooms.clock.instant(),
              rooms.clock.instant());
      new Webhooks(rooms.store)
          .create(
              altered,
              rooms.recorder.write(
                  RecordKind.WEBHOOK_CHANGED,
                  rooms.ours,
                  rooms.clock.instant(),
                  Rooms.admin(),
                  JsonObject.EMPTY));
      Notifications notifications = notifications(receiver.url(), new Webhooks(rooms.store));
      assertThat(notifications.notifyOf(List.of(change())).error())
          .contains("wh_1: The webhook's secret cannot be opened; rotate it.");
      assertThat(receiver.connections()).isEqualTo(1);
    }
  }
}
