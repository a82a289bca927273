package dev.safeconduct.webhook;

import dev.safeconduct.config.Env;
import dev.safeconduct.webhook.delivery.AddressGuard;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.util.Optional;

/**
 * The operator's receiver, and how deliveries are made.
 *
 * @param url the operator's receiver, which is notified of every organization's agents
 * @param secret what signs deliveries to it; unsigned without one
 * @param policy the retry policy for webhooks without their own
 * @param total how long a status change may wait for all deliveries together
 * @param operatorsMayBePrivate whether the operator's receiver may have a loopback or private
 *     address
 * @param othersMayBePrivate whether those of organizations may
 */
public record WebhookConfig(
    Optional<ReceiverUrl> url,
    Optional<WebhookSecret> secret,
    RetryPolicy policy,
    Duration total,
    boolean operatorsMayBePrivate,
    boolean othersMayBePrivate) {
  private static final Duration ONE = Duration.ofMillis(1);

  /**
   * Reads {@code WEBHOOK_…}; faults are noted in {@code env}.
   *
   * @param boundToLoopback whether only this machine reaches the server: then its operator may try
   *     out receivers on it without a setting
   */
  public static WebhookConfig from(Env env, boolean boundToLoopback) {
    Optional<String> url = env.string("WEBHOOK_URL");
    Optional<ReceiverUrl> receiver = url.flatMap(ReceiverUrl::parse);
    if (url.isPresent() && receiver.isEmpty()) {
      env.fault("WEBHOOK_URL", ReceiverUrl.RULE);
    }
    Optional<String> secret = env.string("WEBHOOK_SECRET");
    Optional<WebhookSecret> signing = secret.flatMap(WebhookSecret::parse);
    if (secret.isPresent() && signing.isEmpty()) {
      env.fault("WEBHOOK_SECRET", WebhookSecret.RULE);
    }
    var policy =
        new RetryPolicy(
            env.integer("WEBHOOK_RETRY_ATTEMPTS", 3, 0, RetryPolicy.MAX_RETRIES),
            env.millis(
                "WEBHOOK_RETRY_DELAY_MS",
                Duration.ofSeconds(1),
                Duration.ZERO,
                RetryPolicy.MAX_WAIT),
            env.millis("WEBHOOK_TIMEOUT_MS", Duration.ofSeconds(5), ONE, RetryPolicy.MAX_TIMEOUT));
    Duration total =
        env.millis("WEBHOOK_TOTAL_TIMEOUT_MS", Duration.ofSeconds(30), ONE, RetryPolicy.MAX_TOTAL);
    Optional<String> privateNetworks = env.string("WEBHOOK_PRIVATE_NETWORKS");
    boolean allowed = privateNetworks.equals(Optional.of("allow"));
    if (privateNetworks.isPresent() && !allowed && !privateNetworks.get().equals("refuse")) {
      env.fault("WEBHOOK_PRIVATE_NETWORKS", "must be allow or refuse");
    }
    return new WebhookConfig(
        receiver,
        signing,
        policy,
        total,
        allowed || (boundToLoopback && privateNetworks.isEmpty()),
        allowed);
  }

  AddressGuard guard() {
    return new AddressGuard(operatorsMayBePrivate, othersMayBePrivate);
  }
}
