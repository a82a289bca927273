package dev.safeconduct.webhook;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the receivers to notify: the operator's receiver and the organization's webhooks. */
final class Receivers {
  private final WebhookConfig config;
  private final Webhooks webhooks;
  private final SecretSeal seal;

  Receivers(WebhookConfig config, Webhooks webhooks, SecretSeal seal) {
    this.config = config;
    this.webhooks = webhooks;
    this.seal = seal;
  }

  /** The retry policy of webhooks without their own. */
  RetryPolicy policy() {
    return config.policy();
  }

  /** Returns all receivers of the agent's events. */
  List<Receiver> of(OrgId org, AgentId agent, Instant now) {
    var all = new ArrayList<Receiver>();
    operators().ifPresent(all::add);
    webhooks.wanting(org, agent).stream()
        .filter(webhook -> webhook.wants(agent))
        .map(webhook -> receiver(webhook, now))
        .forEach(all::add);
    return all;
  }

  /** The receiver of {@code WEBHOOK_URL}. */
  Optional<Receiver> operators() {
    return config
        .url()
        .map(url ->
            new Receiver(
                Receiver.GLOBAL,
                Optional.empty(),
                url,
                config.secret().stream().toList(),
                config.policy(),
                Format.JSON));
  }

  Receiver receiver(Webhook webhook, Instant now) {
    return new Receiver(
        webhook.id(),
        Optional.of(webhook.org()),
        webhook.url(),
        // None if they cannot be decrypted: then only the other receivers are notified.
        seal.open(webhook.id(), webhook.sealedSecrets()).map(set -> set.at(now)).orElse(List.of()),
        webhook.policy(config.policy()),
        webhook.format());
  }
}
