package dev.safeconduct.webhook.delivery;

import dev.safeconduct.identity.OrgId;
import java.util.List;
import java.util.Optional;

/**
 * The receiver of a delivery, with its URL, secrets and retry policy.
 *
 * @param id {@link #GLOBAL}, or a webhook's
 * @param owner the organization that registered it; empty when the operator did
 * @param secrets what signs, the newest first; none for unsigned deliveries
 */
public record Receiver(
    String id,
    Optional<OrgId> owner,
    ReceiverUrl url,
    List<WebhookSecret> secrets,
    RetryPolicy policy,
    Format format) {
  /** The id of the operator's receiver, {@code WEBHOOK_URL}. */
  public static final String GLOBAL = "global";

  public Receiver {
    secrets = List.copyOf(secrets);
  }

  /** The same without retries. */
  public Receiver triedOnce() {
    return new Receiver(
        id, owner, url, secrets, new RetryPolicy(0, policy.delay(), policy.timeout()), format);
  }

  boolean isOperators() {
    return owner.isEmpty();
  }
}
