package dev.safeconduct.webhook;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/** Changes webhooks, rotates their secrets, deletes them. */
final class ChangeWebhook {
  /** The longest that an older secret signs beside the new one. */
  static final Duration MAX_OVERLAP = Duration.ofDays(7);

  /** The default time that an older secret signs. */
  static final Duration OVERLAP = Duration.ofDays(1);

  private static final int TRIES = 50;

  private final Webhooks webhooks;
  private final Destinations destinations;
  private final SecretSeal seal;
  private final Recorder recorder;
  private final RandomGenerator random;

  ChangeWebhook(
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

  /**
   * The caller's webhook of that id.
   *
   * @throws dev.safeconduct.error.ProblemException 403 for a setup key, 404 when it is not known or
   *     another organization's
   */
  Webhook find(Origin origin, String id) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.MANAGE_WEBHOOKS);
    rights.demandUnbound();
    return webhooks.find(rights.tenant(), id).orElseThrow(() -> NotFoundProblems.webhook(id));
  }

  /**
   * Sets what the request has; a secret in it replaces all present ones at once.
   *
   * @throws dev.safeconduct.error.ProblemException as {@link #find} and {@link RegisterWebhook}
   */
  Webhook update(Origin origin, String id, WebhookRequest request) {
    request.url().ifPresent(destinations::demandOpenable);
    return change(
        origin,
        id,
        "updated",
        before -> {
          Instant now = recorder.now();
          return new Webhook(
              before.id(),
              before.org(),
              request.url().orElse(before.url()),
              request.target().isPresent()
                  ? destinations.agent(before.org(), request.target().get())
                  : before.agent(),
              request.events().orElse(before.events()),
              request.active().orElse(before.active()),
              request.retries().or(before::retries),
              request.delay().or(before::delay),
              request.timeout().or(before::timeout),
              request
                  .secret()
                  .map(secret -> seal.seal(id, SecretSet.of(secret)))
                  .orElse(before.sealedSecrets()),
              request.secret().isPresent() ? Optional.empty() : before.overlapEndsAt(),
              before.revision() + 1,
              before.createdAt(),
              now);
        });
  }

  /** Sets a new generated secret. The current secrets also sign during the overlap. */
  RegisterWebhook.Keyed rotate(Origin origin, String id, Duration overlap) {
    WebhookSecret next = WebhookSecret.make(random);
    Webhook rotated =
        change(
            origin,
            id,
            "secret_rotated",
            before -> {
              Instant now = recorder.now();
              SecretSet secrets =
                  seal.open(id, before.sealedSecrets())
                      .orElse(new SecretSet(List.of()))
                      .rotated(next, now, now.plus(overlap));
              return before.with(seal.seal(id, secrets), secrets.overlapEndsAt(), now);
            });
    return new RegisterWebhook.Keyed(rotated, next);
  }

  /** Deletes it. */
  void delete(Origin origin, String id) {
    Webhook webhook = find(origin, id);
    if (!webhooks.delete(
        webhook.org(),
        id,
        recorder.write(
            RecordKind.WEBHOOK_CHANGED,
            webhook.org(),
            recorder.now(),
            origin,
            WebhookJson.recorded("deleted", webhook)))) {
      throw NotFoundProblems.webhook(id);
    }
  }

  private Webhook change(Origin origin, String id, String what, UnaryOperator<Webhook> change) {
    for (int i = 0; i < TRIES; i++) {
      Webhook before = find(origin, id);
      Webhook after = change.apply(before);
      if (webhooks.replace(
          after,
          before.revision(),
          recorder.write(
              RecordKind.WEBHOOK_CHANGED,
              after.org(),
              after.updatedAt(),
              origin,
              WebhookJson.recorded(what, after)))) {
        return after;
      }
    }
    throw new Problem.Unavailable("The webhook is being changed by others; try again.", 1)
        .toException();
  }
}
