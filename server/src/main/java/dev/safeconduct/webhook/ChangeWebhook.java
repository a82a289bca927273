package dev.safeconduct.webhook;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Registers, changes and deletes webhooks, and rotates their secrets. */
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

  ChangeWebhook(Webhooks webhooks, Destinations destinations, SecretSeal seal, Recorder recorder) {
    this.webhooks = webhooks;
    this.destinations = destinations;
    this.seal = seal;
    this.recorder = recorder;
  }

  /** A webhook and its newest secret, which is shown only once. */
  record Keyed(Webhook webhook, WebhookSecret secret) {}

  /**
   * Registers a webhook, with a generated secret if the request has none.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a missing URL or one that no setting
   *     permits, 404 for an agent of another organization, 409 for too many webhooks of that target
   */
  Keyed register(Origin origin, OrgId org, WebhookRequest request) {
    demandPermitted(origin);
    Keyed keyed =
        drafted(org, request, request.target().flatMap(target -> destinations.agent(org, target)));
    webhooks.create(
        keyed.webhook(), record(origin, "created", keyed.webhook(), keyed.webhook().createdAt()));
    return keyed;
  }

  /** Returns the webhook that the request describes, without storing it. */
  Keyed drafted(OrgId org, WebhookRequest request, Optional<AgentId> agent) {
    ReceiverUrl url =
        request.url().orElseThrow(() -> ProblemException.invalid("url", "url is missing."));
    destinations.demandOpenable(url);
    Instant now = recorder.now();
    String id = "wh_" + recorder.nextHex();
    WebhookSecret secret = request.secret().orElseGet(seal::newSecret);
    Webhook webhook =
        new Webhook(
            id,
            org,
            url,
            agent,
            request.events().orElse(List.of(EventType.STATUS_CHANGE.wire())),
            request.format().orElse(Format.JSON),
            request.active().orElse(true),
            request.retries(),
            request.delay(),
            request.timeout(),
            seal.seal(id, SecretSet.of(secret)),
            Optional.empty(),
            1,
            now,
            now);
    return new Keyed(webhook, secret);
  }

  /**
   * The caller's webhook of that id.
   *
   * @throws dev.safeconduct.error.ProblemException 403 for a setup key, 404 when it is not known or
   *     another organization's
   */
  Webhook find(Origin origin, String id) {
    Tenant tenant = demandPermitted(origin).tenant();
    if (id.equals(Receiver.GLOBAL) && tenant instanceof Tenant.Everyone) {
      throw ProblemException.conflict(
          "This receiver is set with WEBHOOK_URL and WEBHOOK_SECRET.", "set_by_configuration");
    }
    return webhooks.find(tenant, id).orElseThrow(() -> NotFoundProblems.webhook(id));
  }

  /**
   * Sets what the request has; a secret in it replaces all present ones at once.
   *
   * @throws dev.safeconduct.error.ProblemException as {@link #find} and {@link #register}
   */
  Webhook update(Origin origin, String id, WebhookRequest request) {
    request.url().ifPresent(destinations::demandOpenable);
    return change(
        origin,
        id,
        "updated",
        before ->
            changed(
                before,
                request,
                request.target().isPresent()
                    ? destinations.agent(before.org(), request.target().get())
                    : before.agent()));
  }

  /** Returns the webhook as the request changes it, without storing it. */
  Webhook changed(Webhook before, WebhookRequest request, Optional<AgentId> agent) {
    Instant now = recorder.now();
    return new Webhook(
        before.id(),
        before.org(),
        request.url().orElse(before.url()),
        agent,
        request.events().orElse(before.events()),
        request.format().orElse(before.format()),
        request.active().orElse(before.active()),
        request.retries().or(before::retries),
        request.delay().or(before::delay),
        request.timeout().or(before::timeout),
        request
            .secret()
            .map(secret -> seal.seal(before.id(), SecretSet.of(secret)))
            .orElse(before.sealedSecrets()),
        request.secret().isPresent() ? Optional.empty() : before.overlapEndsAt(),
        before.revision() + 1,
        before.createdAt(),
        now);
  }

  /** Returns what tells the newest secret of the webhook from others. */
  Optional<String> fingerprint(Webhook webhook) {
    return seal.open(webhook.id(), webhook.sealedSecrets())
        .flatMap(set -> set.secrets().stream().findFirst())
        .map(held -> seal.fingerprint(held.secret()));
  }

  /** Sets a new generated secret. The current secrets also sign during the overlap. */
  Keyed rotate(Origin origin, String id, Duration overlap) {
    WebhookSecret next = seal.newSecret();
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
    return new Keyed(rotated, next);
  }

  void delete(Origin origin, String id) {
    Webhook webhook = find(origin, id);
    if (!webhooks.delete(webhook.org(), id, record(origin, "deleted", webhook, recorder.now()))) {
      throw NotFoundProblems.webhook(id);
    }
  }

  /** Returns what the owner of the webhook, with this new secret, should know. */
  List<String> warnings(Webhook webhook, Optional<WebhookSecret> given) {
    var warnings = new ArrayList<String>();
    destinations
        .refusedForNow(webhook.url())
        .ifPresent(why -> warnings.add("Deliveries to this url are refused: " + why + "."));
    warnings.addAll(warnings(webhook.events()));
    given
        .filter(secret -> secret.text().length() < WebhookSecret.SHORT)
        .ifPresent(_ ->
            warnings.add(
                "The secret is short; use at least "
                    + WebhookSecret.SHORT
                    + " random characters."));
    return warnings;
  }

  /** Returns warnings about events that do not exist. */
  static List<String> warnings(List<String> events) {
    var warnings = new ArrayList<String>();
    List<String> unknown = events.stream().filter(name -> EventType.parse(name).isEmpty()).toList();
    if (!unknown.isEmpty()) {
      warnings.add(
          "Nothing is sent for %s; the events are %s."
              .formatted(String.join(", ", unknown), EventType.names()));
    }
    if (unknown.size() == events.size()) {
      warnings.add("None of the events exists, so nothing is sent to this webhook.");
    }
    return warnings;
  }

  private Webhook change(Origin origin, String id, String what, UnaryOperator<Webhook> change) {
    for (int i = 0; i < TRIES; i++) {
      Webhook before = find(origin, id);
      Webhook after = change.apply(before);
      if (webhooks.replace(
          after, before.revision(), record(origin, what, after, after.updatedAt()))) {
        return after;
      }
    }
    throw ProblemException.unavailable("The webhook is being changed by others; try again.", 1);
  }

  /** Returns the record of a change, for callers that store the webhook. */
  AuditRecord record(Origin origin, String what, Webhook webhook, Instant at) {
    return recorder.write(
        RecordKind.WEBHOOK_CHANGED, webhook.org(), at, origin, WebhookJson.recorded(what, webhook));
  }

  /** Refuses who may not manage the webhooks of all agents. */
  static Rights demandPermitted(Origin origin) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.MANAGE_WEBHOOKS);
    rights.demandUnbound();
    return rights;
  }
}
