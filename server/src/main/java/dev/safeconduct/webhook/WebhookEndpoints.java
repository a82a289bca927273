package dev.safeconduct.webhook;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.Problem;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.webhook.delivery.Receiver;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** {@code /api/webhooks}: an organization's webhooks. */
public final class WebhookEndpoints {
  private static final String WEBHOOKS = "/api/webhooks";
  private static final String WEBHOOK = WEBHOOKS + "/{webhook_id}";

  /** Tests of an organization's webhooks: each is a request to an address of their choice. */
  private static final Rate TESTS = new Rate("webhook_tests", 20, Duration.ofMinutes(1));

  private final Webhooks webhooks;
  private final ChangeWebhook changeWebhook;
  private final ActingOrganization organization;
  private final Receivers receivers;
  private final DeliveryEndpoints deliveries;
  private final WebhookTestEndpoint test;
  private final TestDelivery testDelivery;
  private final RateLimits limits;
  private final Events events;

  public WebhookEndpoints(
      Notifications notifications,
      ActingOrganization organization,
      RateLimits limits,
      Events events) {
    this.testDelivery = notifications.testDelivery;
    this.limits = limits;
    this.events = events;
    this.webhooks = notifications.webhooks;
    this.changeWebhook = notifications.changeWebhook;
    this.receivers = notifications.receivers;
    this.organization = organization;
    this.deliveries = new DeliveryEndpoints(notifications.redeliver);
    this.test = new WebhookTestEndpoint(notifications.testDelivery);
  }

  public List<Route> routes() {
    return Stream.of(webhooks(), deliveries.routes(), test.routes()).flatMap(List::stream).toList();
  }

  private List<Route> webhooks() {
    Permission permission = new Permission.Scoped(Scope.MANAGE_WEBHOOKS);
    return List.of(
        Route.get(WEBHOOKS, permission, this::list),
        Route.post(WEBHOOKS, permission, this::register),
        Route.get(WEBHOOK, permission, this::read),
        Route.patch(WEBHOOK, permission, this::update),
        Route.delete(WEBHOOK, permission, this::delete),
        Route.post(WEBHOOK + "/test", permission, this::testWebhook),
        Route.post(WEBHOOK + "/rotate-secret", permission, this::rotate));
  }

  private Response list(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    OrgId org = organization(rights, request.query("org_id"));
    ListPage page = ListPage.of(request);
    Webhooks.Filter filter = filter(request);
    var found = new ArrayList<JsonObject>();
    for (Webhook webhook : webhooks.list(org, filter, page.after(), page.fetch())) {
      found.add(WebhookJson.webhook(webhook, receivers.policy()));
    }
    // The operator's receiver is the last, so no page continues after it.
    if (isOperator(rights) && filter.equals(Webhooks.Filter.ALL) && found.size() < page.fetch()) {
      receivers.operators().map(WebhookJson::operators).ifPresent(found::add);
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
                      .orElseThrow(() ->
                          Problem.invalid("target_id", "target_id is missing.").toException())),
              false);
      case "organization", "org" -> new Webhooks.Filter(Optional.empty(), true);
      default ->
          throw Problem.invalid("target", "target must be agent or organization.").toException();
    };
  }

  private Response register(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    Members body = Members.of(request.json());
    OrgId org = organization(rights, body.text("org_id").or(() -> request.query("org_id")));
    List<String> unknown = body.unknown(WebhookRequest.MEMBERS);
    ChangeWebhook.Keyed made =
        changeWebhook.register(request.origin(), org, WebhookRequest.read(body));
    return Response.json(201, shownOnce(made, unknown))
        .header("Location", WEBHOOKS + "/" + made.webhook().id());
  }

  private Response read(Request request) {
    String id = request.pathParam("webhook_id");
    Rights rights = Rights.of(request.caller());
    if (id.equals(Receiver.GLOBAL) && isOperator(rights)) {
      JsonObject operators =
          receivers
              .operators()
              .map(WebhookJson::operators)
              .orElseThrow(() -> NotFoundProblems.webhook(id));
      return Response.json(
          200, JsonObject.builder().put("ok", true).put("webhook", operators).build());
    }
    return Response.json(200, shown(changeWebhook.find(request.origin(), id)));
  }

  private Response update(Request request) {
    Members body = Members.of(request.json());
    List<String> unknown = body.unknown(WebhookRequest.MEMBERS);
    WebhookRequest wanted = WebhookRequest.read(body);
    return Response.json(
        200,
        shown(
            changeWebhook.update(request.origin(), request.pathParam("webhook_id"), wanted),
            wanted.secret(),
            unknown));
  }

  private Response delete(Request request) {
    String id = request.pathParam("webhook_id");
    changeWebhook.delete(request.origin(), id);
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
    Webhook webhook = changeWebhook.find(request.origin(), request.pathParam("webhook_id"));
    limits.demand(TESTS, webhook.org().value(), "Too many tests of webhooks.");
    EventType type =
        named.orElseGet(() ->
            webhook.events().stream()
                .flatMap(name -> EventType.parse(name).stream())
                .findFirst()
                .orElse(EventType.STATUS_CHANGE));
    TestDelivery.Sent sent = testDelivery.run(webhook, type, events);
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
            changeWebhook.rotate(
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
            .put("webhook", WebhookJson.webhook(webhook, receivers.policy()));
    List<String> warnings = new ArrayList<>(unknown);
    warnings.addAll(changeWebhook.warnings(webhook, given));
    if (!warnings.isEmpty()) {
      answer.put("warnings", JsonArray.ofStrings(warnings));
    }
    return answer.build();
  }
}
