package dev.safeconduct.webhook;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.webhook.delivery.AttemptOutcome;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.util.List;
import java.util.Optional;

/** Tries a receiver out before it is relied on; for the admin credential. */
final class WebhookTestEndpoint {
  private final SendTestEvent sendTestEvent;

  WebhookTestEndpoint(SendTestEvent sendTestEvent) {
    this.sendTestEvent = sendTestEvent;
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
    return Response.json(
        200, answer(url, sendTestEvent.run(url, secret, agent.orElse(SendTestEvent.NOBODY))));
  }

  /** A failed delivery is an answered question: 200 and {@code ok}, with the failure in it. */
  private static JsonObject answer(ReceiverUrl url, SendTestEvent.Result trial) {
    AttemptOutcome outcome = trial.outcome();
    Optional<String> failure = outcome.failure();
    return JsonObject.builder()
        .put("ok", true)
        .put("test_url", url.text())
        .put("test_payload", trial.event().payload())
        .put(
            "result",
            JsonObject.builder()
                .put("success", failure.isEmpty())
                .put("attempt", 1)
                .put("error", WebhookJson.text(failure))
                .put(
                    "response_status", WebhookJson.number(outcome.status().map(Integer::longValue)))
                .put("response_time_ms", outcome.took().toMillis())
                .put("total_time_ms", trial.took().toMillis())
                .build())
        .put(
            "message",
            failure
                .map(why -> "Webhook test failed: " + why)
                .orElse("Webhook test delivered; the receiver took it."))
        .build();
  }
}
