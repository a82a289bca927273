package dev.safeconduct.webhook;

import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.webhook.delivery.AddressGuard;
import dev.safeconduct.webhook.delivery.DeliverWithRetries;
import dev.safeconduct.webhook.delivery.Deliveries;
import dev.safeconduct.webhook.delivery.DeliveryLog;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.Ticker;
import dev.safeconduct.webhook.delivery.WebhookClient;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** What webhooks consist of, put together. */
public final class Notifications implements StatusReceivers, AutoCloseable {
  private final WebhookConfig config;
  private final Ticker ticker;
  private final Webhooks webhooks;
  private final Destinations destinations;
  private final RegisterWebhook registerWebhook;
  private final ChangeWebhook changeWebhook;
  private final NotifyReceivers notifyReceivers;
  private final Redeliver redeliver;
  private final SendTestEvent sendTestEvent;

  /**
   * What the parts are made of.
   *
   * @param random where secrets come from: cryptographically strong and safe for any number of
   *     threads
   * @param deadLetters the file of dead letters
   */
  public record Needs(
      WebhookConfig config,
      WebhookDependencies dependencies,
      Webhooks webhooks,
      Deliveries deliveries,
      Passports passports,
      MasterKey master,
      Recorder recorder,
      InstantSource clock,
      RandomGenerator random,
      Path deadLetters,
      Consumer<String> outcomes) {}

  public Notifications(Needs needs) {
    this.config = needs.config();
    this.ticker = needs.dependencies().ticker();
    this.webhooks = needs.webhooks();
    Recorder recorder = needs.recorder();
    AddressGuard guard = config.guard();
    var seal = new SecretSeal(needs.master());
    this.destinations = new Destinations(guard, needs.passports());
    this.registerWebhook =
        new RegisterWebhook(webhooks, destinations, seal, recorder, needs.random());
    this.changeWebhook = new ChangeWebhook(webhooks, destinations, seal, recorder, needs.random());
    var client = new WebhookClient(guard, needs.dependencies(), needs.clock());
    var deliver =
        new DeliverWithRetries(client, ticker, needs.dependencies().chance(), needs.outcomes());
    var receivers = new Receivers(config, webhooks, seal);
    var log = new DeliveryLog(needs.deliveries(), needs.deadLetters(), recorder);
    this.notifyReceivers =
        new NotifyReceivers(receivers, log, deliver, recorder, ticker, config.total());
    this.redeliver =
        new Redeliver(
            receivers,
            webhooks,
            needs.deliveries(),
            log,
            deliver,
            recorder,
            ticker,
            config.total());
    this.sendTestEvent = new SendTestEvent(client, recorder, config);
  }

  @Override
  public StatusReceivers.Delivery tell(StatusChange change) {
    return notifyReceivers.run(change);
  }

  Webhooks webhooks() {
    return webhooks;
  }

  Destinations destinations() {
    return destinations;
  }

  RegisterWebhook registerWebhook() {
    return registerWebhook;
  }

  ChangeWebhook changeWebhook() {
    return changeWebhook;
  }

  Redeliver redeliver() {
    return redeliver;
  }

  SendTestEvent sendTestEvent() {
    return sendTestEvent;
  }

  RetryPolicy policy() {
    return config.policy();
  }

  /**
   * Waits for no retry any more: what is being delivered has the try it is in, so that the service
   * can stop in time and the rest become dead letters.
   */
  @Override
  public void close() {
    ticker.stop();
  }
}
