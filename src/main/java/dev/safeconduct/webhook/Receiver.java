package dev.safeconduct.webhook;

import dev.safeconduct.identity.OrgId;
import java.util.List;
import java.util.Optional;

/**
 * Somebody a delivery goes to, with all that it takes.
 *
 * @param id {@link #GLOBAL}, or a webhook's
 * @param owner the organization that registered it; empty when the operator did
 * @param secrets what signs, the newest first; none for unsigned deliveries
 */
record Receiver(
    String id,
    Optional<OrgId> owner,
    ReceiverUrl url,
    List<WebhookSecret> secrets,
    RetryPolicy policy) {
  /** The id of the operator's receiver, {@code WEBHOOK_URL}. */
  static final String GLOBAL = "global";

  Receiver {
    secrets = List.copyOf(secrets);
  }

  /** The same without retries. */
  Receiver triedOnce() {
    return new Receiver(
        id, owner, url, secrets, new RetryPolicy(0, policy.delay(), policy.timeout()));
  }

  boolean isOperators() {
    return owner.isEmpty();
  }
}
