package dev.safeconduct.webhook;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.webhook.delivery.AttemptOutcome;
import dev.safeconduct.webhook.delivery.Delivery;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code /api/webhooks}: an organization's webhooks, their deliveries and redeliveries. The
 * operator's receiver has the id {@code global}.
 */
public final class WebhookEndpoints {
  private static final String WEBHOOKS = "/api/webhooks";
  private static final String WEBHOOK = WEBHOOKS + "/{webhook_id}";

  /** Tests of an organization's webhooks: each is a request to an address of their choice. */
  private static final Rate TESTS = new Rate("webhook_tests", 20, Duration.ofMinutes(1));

  private static final Set<String> TEST_MEMBERS =
      Set.of("webhook_url", "webhook_secret", "test_agent_id");

  private final Notifications notifications;
  private final ActingOrganization organization;
  private final RateLimits limits;
  private final Events events;

  public WebhookEndpoints(
      Notifications notifications,
      ActingOrganization organization,
      RateLimits limits,
      Events events) {
    this.notifications = notifications;
    this.organization = organization;
    this.limits = limits;
    this.events = events;
  }

  public List<Route> routes() {
    Permission permission = new Permission.Scoped(Scope.MANAGE_WEBHOOKS);
    return List.of(
        Route.get(WEBHOOKS, permission, this::list),
        Route.post(WEBHOOKS, permission, this::register),
        Route.get(WEBHOOK, permission, this::read),
        Route.patch(WEBHOOK, permission, this::update),
        Route.delete(WEBHOOK, permission, this::delete),
        Route.post(WEBHOOK + "/test", permission, this::testWebhook),
        Route.post(WEBHOOK + "/rotate-secret", permission, this::rotate),
        Route.get(WEBHOOK + "/deliveries", permission, this::deliveries),
        Route.post(WEBHOOK + "/redeliver", permission, this::redeliverAll),
        Route.post(
            WEBHOOKS + "/deliveries/{delivery_id}/redeliver", permission, this::redeliverOne),
        Route.post(
            "/api/admin/webhook-test", new Permission.AdminOrUnauthorized(), this::testAddress));
  }

  private Response list(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    OrgId org = organization(rights, request.query("org_id"));
    ListPage page = ListPage.of(request);
    Webhooks.Filter filter = filter(request);
    var found = new ArrayList<JsonObject>();
    for (Webhook webhook : notifications.webhooks.list(org, filter, page.after(), page.fetch())) {
      found.add(WebhookJson.webhook(webhook, notifications.receivers.policy()));
    }
    // The operator's receiver is the last, so no page continues after it.
    if (isOperator(rights) && filter.equals(Webhooks.Filter.ALL) && found.size() < page.fetch()) {
      notifications.receivers.operators().map(WebhookJson::operators).ifPresent(found::add);
    }
    return page.answer(
        "webhooks", found, each -> each.string("webhook_id").orElseThrow(), each -> each);
  }

  private static boolean isOperator(Rights rights) {
    return rights.tenant() instanceof Tenant.Everyone;
  }

  private static Webhooks.Filter filter(Request request) {
    Optional<String> target = request.query("target").filter(text -> !text.isEmpty());
    Optional<String> agent =
        request
            .query("target_id")
            .or(() -> request.query("agent_id"))
            .filter(text -> !text.isEmpty());
    return switch (target.orElse(agent.isPresent() ? "agent" : "")) {
      case "" -> Webhooks.Filter.ALL;
      case "agent" ->
          new Webhooks.Filter(
              Optional.of(
                  agent
                      .map(WebhookRequest::agent)
                      .orElseThrow(
                          () -> ProblemException.invalid("target_id", "target_id is missing."))),
              false);
      case "organization", "org" -> new Webhooks.Filter(Optional.empty(), true);
      default -> throw ProblemException.invalid("target", "target must be agent or organization.");
    };
  }

  private Response register(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    Members body = Members.of(request.json());
    OrgId org = organization(rights, body.text("org_id").or(() -> request.query("org_id")));
    List<String> unknown = body.unknown(WebhookRequest.MEMBERS);
    ChangeWebhook.Keyed made =
        notifications.changeWebhook.register(request.origin(), org, WebhookRequest.read(body));
    return Response.json(201, shownOnce(made, unknown))
        .header("Location", WEBHOOKS + "/" + made.webhook().id());
  }

  private Response read(Request request) {
    String id = request.pathParam("webhook_id");
    Rights rights = Rights.of(request.caller());
    if (id.equals(Receiver.GLOBAL) && isOperator(rights)) {
      JsonObject operators =
          notifications
              .receivers
              .operators()
              .map(WebhookJson::operators)
              .orElseThrow(() -> NotFoundProblems.webhook(id));
      return Response.json(
          200, JsonObject.builder().put("ok", true).put("webhook", operators).build());
    }
    return Response.json(200, shown(notifications.changeWebhook.find(request.origin(), id)));
  }

  private Response update(Request request) {
    Members body = Members.of(request.json());
    List<String> unknown = body.unknown(WebhookRequest.MEMBERS);
    WebhookRequest wanted = WebhookRequest.read(body);
    return Response.json(
        200,
        shown(
            notifications.changeWebhook.update(
                request.origin(), request.pathParam("webhook_id"), wanted),
            wanted.secret(),
            unknown));
  }

  private Response delete(Request request) {
    String id = request.pathParam("webhook_id");
    notifications.changeWebhook.delete(request.origin(), id);
    return Response.json(200, JsonObject.builder().put("ok", true).put("webhook_id", id).build());
  }

  private Response testWebhook(Request request) {
    Members body =
        Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY).only(Set.of("event"));
    Optional<EventType> named =
        body.text("event")
            .map(text ->
                EventType.parse(text)
                    .orElseThrow(() ->
                        body.fault("event", "event must be one of " + EventType.names() + ".")));
    Webhook webhook =
        notifications.changeWebhook.find(request.origin(), request.pathParam("webhook_id"));
    limits.demand(TESTS, webhook.org().value(), "Too many tests of webhooks.");
    EventType type =
        named.orElseGet(() ->
            webhook.events().stream()
                .flatMap(name -> EventType.parse(name).stream())
                .findFirst()
                .orElse(EventType.STATUS_CHANGE));
    TestDelivery.Sent sent = notifications.testDelivery.run(webhook, type, events);
    Optional<String> failure = sent.outcome().failure();
    return Response.json(
        200,
        JsonObject.builder()
            .put("ok", failure.isEmpty())
            .put("webhook_id", webhook.id())
            .put("payload", sent.event().payload())
            .putNumberOrNull("response_status", sent.outcome().status())
            .put("response_time_ms", sent.outcome().took().toMillis())
            .putOrNull("failure_reason", failure)
            .build());
  }

  private Response rotate(Request request) {
    Members body = Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY);
    List<String> unknown = body.unknown(Set.of("grace_seconds"));
    long seconds =
        body.whole("grace_seconds", 0, ChangeWebhook.MAX_OVERLAP.toSeconds())
            .orElse(ChangeWebhook.OVERLAP.toSeconds());
    return Response.json(
        200,
        shownOnce(
            notifications.changeWebhook.rotate(
                request.origin(), request.pathParam("webhook_id"), Duration.ofSeconds(seconds)),
            unknown));
  }

  private OrgId organization(Rights rights, Optional<String> named) {
    return named
        .map(text -> organization.named(rights, text))
        .orElseGet(() -> organization.of(rights));
  }

  /** Returns the webhook with its secret, which is shown only once. */
  private JsonObject shownOnce(ChangeWebhook.Keyed keyed, List<String> unknown) {
    JsonObject answer = shown(keyed.webhook(), Optional.of(keyed.secret()), unknown);
    JsonObject webhook =
        answer
            .object("webhook")
            .orElseThrow()
            .with("secret", new JsonString(keyed.secret().text()));
    return answer.with("webhook", webhook);
  }

  private JsonObject shown(Webhook webhook) {
    return shown(webhook, Optional.empty(), List.of());
  }

  private JsonObject shown(Webhook webhook, Optional<WebhookSecret> given, List<String> unknown) {
    JsonObject.Builder answer =
        JsonObject.builder()
            .put("ok", true)
            .put("webhook", WebhookJson.webhook(webhook, notifications.receivers.policy()));
    List<String> warnings = new ArrayList<>(unknown);
    warnings.addAll(notifications.changeWebhook.warnings(webhook, given));
    if (!warnings.isEmpty()) {
      answer.put("warnings", JsonArray.ofStrings(warnings));
    }
    return answer.build();
  }

  private Response deliveries(Request request) {
    ListPage page = ListPage.of(request);
    Optional<Delivery.State> state =
        request.query("status").filter(text -> !text.isEmpty()).map(WebhookEndpoints::state);
    return page.answer(
        "deliveries",
        notifications.redeliver.list(
            request.origin(), request.pathParam("webhook_id"), state, page.after(), page.fetch()),
        Delivery::id,
        WebhookJson::delivery);
  }

  private static Delivery.State state(String text) {
    return Delivery.State.parse(text)
        .orElseThrow(() ->
            ProblemException.invalid(
                "status", "status must be one of sending, waiting, delivered, dead."));
  }

  private Response redeliverOne(Request request) {
    Delivery delivery =
        notifications.redeliver.one(request.origin(), request.pathParam("delivery_id"));
    boolean delivered = delivery.progress().state() == Delivery.State.DELIVERED;
    return Response.json(
        200,
        JsonObject.builder()
            .put("ok", delivered)
            .put("delivery", WebhookJson.delivery(delivery))
            .build());
  }

  private Response redeliverAll(Request request) {
    String id = request.pathParam("webhook_id");
    Members body = Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY);
    Instant since = body.only(Set.of("since")).instant("since").orElse(Instant.EPOCH);
    Redeliver.Summary summary = notifications.redeliver.all(request.origin(), id, since);
    return Response.json(
        200,
        JsonObject.builder()
            .put("ok", summary.remaining() == 0)
            .put("webhook_id", id)
            .put("delivered", summary.delivered())
            .put("failed", summary.failed())
            .put("remaining", summary.remaining())
            .putOrNull("failure_reason", summary.error())
            .build());
  }

  /**
   * {@code POST /api/admin/webhook-test}: sends a sample event once, without retries, dead letter
   * or stored delivery.
   */
  private Response testAddress(Request request) {
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
    List<String> unknown = body.unknown(TEST_MEMBERS);
    long began = System.nanoTime();
    TestDelivery.Sent sent =
        notifications.testDelivery.run(url, secret, agent.orElse(TestDelivery.NOBODY));
    JsonObject answer = tested(url, sent, Duration.ofNanos(System.nanoTime() - began));
    return Response.json(
        200, unknown.isEmpty() ? answer : answer.with("warnings", JsonArray.ofStrings(unknown)));
  }

  /** The test itself succeeded, so a failed delivery is a 200 with {@code ok}. */
  private static JsonObject tested(ReceiverUrl url, TestDelivery.Sent sent, Duration took) {
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
