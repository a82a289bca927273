package dev.safeconduct.webhook;

import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.webhook.delivery.AddressGuard;
import dev.safeconduct.webhook.delivery.DeliverWithRetries;
import dev.safeconduct.webhook.delivery.DeliveryLog;
import dev.safeconduct.webhook.delivery.Ticker;
import dev.safeconduct.webhook.delivery.WebhookClient;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.util.List;
import java.util.function.Consumer;

/** Wires the webhook classes together; the endpoints take what they need from its fields. */
public final class Notifications implements StatusReceivers, AutoCloseable {
  private final Ticker ticker;
  private final NotifyReceivers notifyReceivers;
  final Webhooks webhooks;
  final Destinations destinations;
  final ChangeWebhook changeWebhook;
  final Receivers receivers;
  final Redeliver redeliver;
  final TestDelivery testDelivery;
  private final EventSender sender;

  /** {@code outcomes} receives {@code delivered} or {@code failed} for each delivery. */
  public Notifications(
      WebhookConfig config,
      WebhookDependencies dependencies,
      Webhooks webhooks,
      DeliveryLog log,
      Passports passports,
      SecretSeal seal,
      Recorder recorder,
      Consumer<String> outcomes) {
    this.ticker = dependencies.ticker();
    this.webhooks = webhooks;
    AddressGuard guard = config.guard();
    this.destinations = new Destinations(guard, passports);
    this.changeWebhook = new ChangeWebhook(webhooks, destinations, seal, recorder);
    var client = new WebhookClient(guard, dependencies, recorder::now);
    var deliver = new DeliverWithRetries(client, ticker, dependencies.chance(), outcomes);
    this.receivers = new Receivers(config, webhooks, seal);
    this.notifyReceivers =
        new NotifyReceivers(receivers, log, deliver, recorder, ticker, config.total());
    this.redeliver =
        new Redeliver(receivers, webhooks, log, deliver, recorder, ticker, config.total());
    this.testDelivery = new TestDelivery(receivers, client, recorder, config.total());
    this.sender = new EventSender(receivers, webhooks, log, client, recorder, outcomes);
  }

  @Override
  public StatusReceivers.Delivery notifyOf(List<StatusChange> changes) {
    return notifyReceivers.run(changes);
  }

  /** Begins to deliver the events that wait. */
  public void start() {
    sender.start();
  }

  /**
   * Ends all waits for retries, so that the service can stop in time. Running attempts end; the
   * rest become dead letters.
   */
  @Override
  public void close() {
    sender.close();
    ticker.stop();
  }
}
