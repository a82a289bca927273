package dev.safeconduct.webhook;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.webhook.delivery.AttemptOutcome;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code POST /api/admin/webhook-test}: sends a sample event once, without retries, dead letter or
 * stored delivery.
 */
final class WebhookTestEndpoint {
  private static final Set<String> MEMBERS =
      Set.of("webhook_url", "webhook_secret", "test_agent_id");

  private final TestDelivery delivery;

  WebhookTestEndpoint(TestDelivery delivery) {
    this.delivery = delivery;
  }

  List<Route> routes() {
    return List.of(
        Route.post(
            "/api/admin/webhook-test", new Permission.AdminOrUnauthorized(), this::testWebhook));
  }

  private Response testWebhook(Request request) {
    Members body = Members.of(request.json());
    ReceiverUrl url =
        WebhookRequest.url(
            body,
            "webhook_url",
            body.text("webhook_url").orElseThrow(() -> body.missing("webhook_url")));
    Optional<WebhookSecret> secret =
        body.text("webhook_secret")
            .filter(text -> !text.isEmpty())
            .map(text -> WebhookRequest.secret(body, "webhook_secret", text));
    Optional<AgentId> agent =
        body.text("test_agent_id")
            .map(text ->
                AgentId.hosted(text)
                    .orElseThrow(
                        () -> body.fault("test_agent_id", "test_agent_id is not an agent's id.")));
    List<String> unknown = body.unknown(MEMBERS);
    long began = System.nanoTime();
    TestDelivery.Sent sent = delivery.run(url, secret, agent.orElse(TestDelivery.NOBODY));
    JsonObject answer = answer(url, sent, Duration.ofNanos(System.nanoTime() - began));
    return Response.json(
        200, unknown.isEmpty() ? answer : answer.with("warnings", JsonArray.ofStrings(unknown)));
  }

  /** The test itself succeeded, so a failed delivery is a 200 with {@code ok}. */
  private static JsonObject answer(ReceiverUrl url, TestDelivery.Sent sent, Duration took) {
    AttemptOutcome outcome = sent.outcome();
    Optional<String> failure = outcome.failure();
    return JsonObject.builder()
        .put("ok", true)
        .put("test_url", url.text())
        .put("test_payload", sent.event().payload())
        .put(
            "result",
            JsonObject.builder()
                .put("success", failure.isEmpty())
                .put("attempt", 1)
                .putOrNull("error", failure)
                .putNumberOrNull("response_status", outcome.status())
                .put("response_time_ms", outcome.took().toMillis())
                .put("total_time_ms", took.toMillis())
                .build())
        .put(
            "message",
            failure
                .map(why -> "Webhook test failed: " + why)
                .orElse("Webhook test delivered; the receiver accepted it."))
        .build();
  }
}
