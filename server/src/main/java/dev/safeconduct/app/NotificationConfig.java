package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import dev.safeconduct.mail.MailConfig;
import dev.safeconduct.webhook.WebhookConfig;

/**
 * Settings of the notifications that the service sends.
 *
 * @param webhooks status changes, to webhook endpoints
 * @param mail emails, to people
 * @param denySpike how many denials of an agent within 10 minutes are an event; 0 for none
 */
record NotificationConfig(WebhookConfig webhooks, MailConfig mail, int denySpike) {
  /** {@code loopbackOnly}: whether only this machine can reach the service. */
  static NotificationConfig from(Env env, boolean loopbackOnly) {
    return new NotificationConfig(
        WebhookConfig.from(env, loopbackOnly),
        MailConfig.from(env),
        env.integer("EVENT_DENY_SPIKE", 100, 0, 1_000_000));
  }
}
