package dev.safeconduct.webhook;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.StatusEvent;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Registers a receiver of an organization. */
final class RegisterWebhook {
  private final Webhooks webhooks;
  private final Destinations destinations;
  private final SecretSeal seal;
  private final Recorder recorder;
  private final RandomGenerator random;

  RegisterWebhook(
      Webhooks webhooks,
      Destinations destinations,
      SecretSeal seal,
      Recorder recorder,
      RandomGenerator random) {
    this.webhooks = webhooks;
    this.destinations = destinations;
    this.seal = seal;
    this.recorder = recorder;
    this.random = random;
  }

  /** A webhook and its newest secret, to be shown this once. */
  record Keyed(Webhook webhook, WebhookSecret secret) {}

  /**
   * Registers it, with a secret of ours when the request brings none.
   *
   * @throws dev.safeconduct.error.ProblemException 400 without a URL or with one that no setting
   *     opens, 404 for an agent of another organization, 409 when there are too many for that
   *     target
   */
  Keyed run(Origin origin, OrgId org, WebhookRequest request) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.MANAGE_WEBHOOKS);
    rights.demandUnbound();
    ReceiverUrl url =
        request.url().orElseThrow(() -> Problem.invalid("url", "url is missing.").toException());
    destinations.demandOpenable(url);
    Instant now = recorder.now();
    String id = "wh_" + recorder.nextHex();
    WebhookSecret secret = request.secret().orElseGet(() -> WebhookSecret.make(random));
    Webhook webhook =
        new Webhook(
            id,
            org,
            url,
            request.target().flatMap(target -> destinations.agent(org, target)),
            request.events().orElse(List.of(StatusEvent.TYPE)),
            request.active().orElse(true),
            request.retries(),
            request.delay(),
            request.timeout(),
            seal.seal(id, SecretSet.of(secret)),
            Optional.empty(),
            1,
            now,
            now);
    webhooks.create(
        webhook,
        recorder.write(
            RecordKind.WEBHOOK_CHANGED,
            org,
            now,
            origin,
            WebhookJson.recorded("created", webhook)));
    return new Keyed(webhook, secret);
  }
}
