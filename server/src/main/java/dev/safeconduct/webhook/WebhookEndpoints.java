package dev.safeconduct.webhook;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.Problem;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.Members;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.StatusEvent;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code /api/webhooks}: an organization's webhooks, their deliveries, and trying one out. */
public final class WebhookEndpoints {
  private static final String WEBHOOKS = "/api/webhooks";
  private static final String WEBHOOK = WEBHOOKS + "/{webhook_id}";

  private final Webhooks webhooks;
  private final RegisterWebhook registerWebhook;
  private final ChangeWebhook changeWebhook;
  private final Destinations destinations;
  private final ActingOrganization organization;
  private final RetryPolicy operators;
  private final DeliveryEndpoints deliveries;
  private final WebhookTestEndpoint test;

  public WebhookEndpoints(Notifications notifications, ActingOrganization organization) {
    this.webhooks = notifications.webhooks();
    this.registerWebhook = notifications.registerWebhook();
    this.changeWebhook = notifications.changeWebhook();
    this.destinations = notifications.destinations();
    this.operators = notifications.policy();
    this.organization = organization;
    this.deliveries = new DeliveryEndpoints(notifications.redeliver());
    this.test = new WebhookTestEndpoint(notifications.sendTestEvent());
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
        Route.post(WEBHOOK + "/rotate-secret", permission, this::rotate));
  }

  private Response list(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    OrgId org = organization(rights, request.query("org_id"));
    ListPage page = ListPage.of(request);
    return page.answer(
        "webhooks",
        webhooks.list(org, filter(request), page.after(), page.fetch()),
        Webhook::id,
        webhook -> WebhookJson.webhook(webhook, operators));
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
    RegisterWebhook.Keyed made =
        registerWebhook.run(origin(request), org, WebhookRequest.read(body));
    return Response.json(201, shownOnce(made))
        .header("Location", WEBHOOKS + "/" + made.webhook().id());
  }

  private Response read(Request request) {
    return Response.json(
        200, shown(changeWebhook.find(origin(request), request.pathParam("webhook_id"))));
  }

  private Response update(Request request) {
    WebhookRequest wanted = WebhookRequest.read(Members.of(request.json()));
    return Response.json(
        200,
        shown(
            changeWebhook.update(origin(request), request.pathParam("webhook_id"), wanted),
            wanted.secret()));
  }

  private Response delete(Request request) {
    String id = request.pathParam("webhook_id");
    changeWebhook.delete(origin(request), id);
    return Response.json(200, JsonObject.builder().put("ok", true).put("webhook_id", id).build());
  }

  private Response rotate(Request request) {
    Members body = Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY);
    long seconds =
        body.whole("grace_seconds", 0, ChangeWebhook.MAX_OVERLAP.toSeconds())
            .orElse(ChangeWebhook.OVERLAP.toSeconds());
    return Response.json(
        200,
        shownOnce(
            changeWebhook.rotate(
                origin(request), request.pathParam("webhook_id"), Duration.ofSeconds(seconds))));
  }

  private OrgId organization(Rights rights, Optional<String> named) {
    return named
        .map(text -> organization.named(rights, text))
        .orElseGet(() -> organization.of(rights));
  }

  /** With its secret, the only time it is shown. */
  private JsonObject shownOnce(RegisterWebhook.Keyed keyed) {
    JsonObject answer = shown(keyed.webhook(), Optional.of(keyed.secret()));
    JsonObject webhook =
        answer
            .object("webhook")
            .orElseThrow()
            .with("secret", new JsonString(keyed.secret().text()));
    return answer.with("webhook", webhook);
  }

  private JsonObject shown(Webhook webhook) {
    return shown(webhook, Optional.empty());
  }

  private JsonObject shown(Webhook webhook, Optional<WebhookSecret> given) {
    JsonObject.Builder answer =
        JsonObject.builder()
            .put("ok", true)
            .put("webhook", WebhookJson.webhook(webhook, operators));
    List<String> warnings = warnings(webhook, given);
    if (!warnings.isEmpty()) {
      answer.put("warnings", JsonArray.ofStrings(warnings));
    }
    return answer.build();
  }

  private List<String> warnings(Webhook webhook, Optional<WebhookSecret> given) {
    var warnings = new ArrayList<String>();
    destinations
        .refusedForNow(webhook.url())
        .ifPresent(
            why -> warnings.add("Nothing is delivered to this url as things are: " + why + "."));
    List<String> unknown =
        webhook.events().stream().filter(name -> !StatusEvent.isNamed(name)).toList();
    if (!unknown.isEmpty()) {
      warnings.add(
          "Nothing is sent for "
              + String.join(", ", unknown)
              + "; the only event is "
              + StatusEvent.TYPE
              + ".");
    }
    if (unknown.size() == webhook.events().size()) {
      warnings.add("This webhook asks for no event that exists and is told nothing.");
    }
    given
        .filter(secret -> secret.text().length() < WebhookSecret.SHORT)
        .ifPresent(_ -> warnings.add("The secret is short; leave it out and one is made."));
    return warnings;
  }

  private static Origin origin(Request request) {
    return new Origin(request.caller(), request.clientAddress(), request.requestId());
  }
}
