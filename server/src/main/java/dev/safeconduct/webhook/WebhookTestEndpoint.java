package dev.safeconduct.webhook;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.webhook.delivery.AttemptOutcome;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.WebhookClient;
import dev.safeconduct.webhook.delivery.WebhookEvent;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.time.Instant;
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

  /** The agent of a sample event, if the request names no other. */
  private static final AgentId NOBODY = new AgentId("ap_" + "0".repeat(32));

  private final WebhookClient client;
  private final Recorder recorder;
  private final WebhookConfig config;

  WebhookTestEndpoint(WebhookClient client, Recorder recorder, WebhookConfig config) {
    this.client = client;
    this.recorder = recorder;
    this.config = config;
  }

  /**
   * The event that was sent, and its result.
   *
   * @param took from making the event to the end of the attempt
   */
  private record Result(WebhookEvent event, AttemptOutcome outcome, Duration took) {}

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
    JsonObject answer = answer(url, send(url, secret, agent.orElse(NOBODY)));
    return Response.json(
        200, unknown.isEmpty() ? answer : answer.with("warnings", JsonArray.ofStrings(unknown)));
  }

  /** Sends it as the operator, whose receiver may be on this machine. */
  private Result send(ReceiverUrl url, Optional<WebhookSecret> secret, AgentId agent) {
    long began = System.nanoTime();
    Instant now = recorder.now();
    WebhookEvent event =
        WebhookEvent.statusChange(
            "msg_" + recorder.nextHex(),
            agent,
            PassportStatus.ACTIVE,
            PassportStatus.SUSPENDED,
            now,
            now);
    Duration timeout = config.policy().timeout();
    var receiver =
        new Receiver(
            "test",
            Optional.empty(),
            url,
            secret.map(List::of).orElse(List.of()),
            config.policy(),
            Format.JSON);
    AttemptOutcome outcome =
        client.send(
            receiver, event, 1, timeout.compareTo(config.total()) > 0 ? config.total() : timeout);
    return new Result(event, outcome, Duration.ofNanos(System.nanoTime() - began));
  }

  /** The test itself succeeded, so a failed delivery is a 200 with {@code ok}. */
  private static JsonObject answer(ReceiverUrl url, Result trial) {
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
                .orElse("Webhook test delivered; the receiver accepted it."))
        .build();
  }
}
