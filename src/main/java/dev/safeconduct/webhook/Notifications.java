package dev.safeconduct.webhook;

import dev.safeconduct.audit.Recorder;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.StatusChange;
import dev.safeconduct.passport.StatusReceivers;
import dev.safeconduct.signing.MasterKey;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The room's parts, put together. */
public final class Notifications implements StatusReceivers, AutoCloseable {
  private final WebhookConfig config;
  private final Surroundings surroundings;
  private final Webhooks webhooks;
  private final Destinations destinations;
  private final RegisterWebhook registerWebhook;
  private final ChangeWebhook changeWebhook;
  private final TellReceivers tellReceivers;
  private final Redeliver redeliver;
  private final TryReceiver tryReceiver;

  /**
   * What the parts are made of.
   *
   * @param random where secrets come from: cryptographically strong and safe for any number of
   *     threads
   * @param deadLetters the file of dead letters
   */
  public record Needs(
      WebhookConfig config,
      Surroundings surroundings,
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
    this.surroundings = needs.surroundings();
    this.webhooks = needs.webhooks();
    Recorder recorder = needs.recorder();
    AddressGuard guard = config.guard();
    Pace pace = surroundings.pace();
    var seal = new SecretSeal(needs.master());
    this.destinations = new Destinations(guard, needs.passports());
    this.registerWebhook =
        new RegisterWebhook(webhooks, destinations, seal, recorder, needs.random());
    this.changeWebhook = new ChangeWebhook(webhooks, destinations, seal, recorder, needs.random());
    var sendOnce = new SendOnce(new Exchange(guard, surroundings), needs.clock());
    var deliver = new Deliver(sendOnce, pace, surroundings.chance(), needs.outcomes());
    var receivers = new Receivers(config, webhooks, seal);
    var keep =
        new KeepDeliveries(needs.deliveries(), new DeadLetters(needs.deadLetters()), recorder);
    this.tellReceivers =
        new TellReceivers(receivers, keep, deliver, recorder, pace, config.total());
    this.redeliver =
        new Redeliver(
            receivers, webhooks, needs.deliveries(), keep, deliver, recorder, pace, config.total());
    this.tryReceiver = new TryReceiver(sendOnce, recorder, config);
  }

  @Override
  public StatusReceivers.Delivery tell(StatusChange change) {
    return tellReceivers.run(change);
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

  TryReceiver tryReceiver() {
    return tryReceiver;
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
    surroundings.pace().stop();
  }
}
