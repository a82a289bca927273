package dev.safeconduct.webhook;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The headers of one try: those the public specification fixes, and beside them those of Standard
 * Webhooks 1.0, for receivers that verify with its libraries.
 */
final class SignedHeaders {
  private SignedHeaders() {}

  /**
   * The headers in the order they are sent.
   *
   * @param secrets that sign, the newest first; none when the receiver has no secret
   * @param attempt the try's number, from 1
   */
  static Map<String, String> of(
      List<WebhookSecret> secrets, StatusEvent event, int attempt, Instant now) {
    long seconds = now.getEpochSecond();
    var headers = new LinkedHashMap<String, String>();
    headers.put("Content-Type", "application/json");
    headers.put("User-Agent", "Safeconduct-Webhook/1.0");
    headers.put("X-Webhook-Event", StatusEvent.TYPE);
    headers.put("X-Webhook-Attempt", Integer.toString(attempt));
    headers.put("X-Webhook-Id", event.id());
    headers.put("webhook-id", event.id());
    headers.put("webhook-timestamp", Long.toString(seconds));
    if (!secrets.isEmpty()) {
      byte[] body = event.body();
      // One value, as the specification has it: during a change-over the new secret's. The list of
      // Standard Webhooks has room for all of them.
      headers.put("X-Webhook-Signature", secrets.getFirst().bodySignature(body));
      headers.put(
          "webhook-signature",
          String.join(
              " ",
              secrets.stream()
                  .map(secret -> secret.standardSignature(event.id(), seconds, body))
                  .toList()));
    }
    return headers;
  }
}
