package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.EventType;
import java.util.Arrays;
import java.util.List;

/**
 * Webhook endpoints for status changes and other events, their deliveries, and resending failed
 * ones.
 */
public final class WebhooksPage {
  private static final String LIST = "/console/webhooks";
  private static final String API = "/api/webhooks";

  /** The id of the endpoint that a setting adds. */
  private static final String GLOBAL = "global";

  private static final int ROWS = 50;
  private static final int MOST_COUNTED = 200;

  private WebhooksPage() {}

  static List<Route> routes(SignInPage signIn) {
    String one = LIST + "/{webhook_id}";
    return List.of(
        signIn.page(LIST, WebhooksPage::list),
        signIn.form(LIST, WebhooksPage::add, WebhooksPage::list),
        signIn.page(one, WebhooksPage::detail),
        signIn.form(one + "/edit", WebhooksPage::edit, WebhooksPage::detail),
        signIn.form(one + "/active", WebhooksPage::active),
        signIn.form(one + "/test", WebhooksPage::test, WebhooksPage::detail),
        signIn.form(one + "/rotate-secret", WebhooksPage::rotate),
        signIn.form(one + "/remove", WebhooksPage::remove),
        signIn.form(one + "/resend", WebhooksPage::resendAll),
        signIn.form(one + "/deliveries/{delivery_id}/resend", WebhooksPage::resend));
  }

  /** The list; {@code console/webhooks.jte}. */
  public record ListView(
      Layout shell, String lead, List<Hook> hooks, List<Subscribed> events, String curl) {}

  /**
   * A webhook endpoint.
   *
   * @param own whether the organization manages it; else it is the operator's, from a setting
   * @param failing whether there are failed deliveries to resend
   */
  public record Hook(
      String path,
      String id,
      String url,
      String about,
      boolean own,
      boolean active,
      boolean failing,
      List<String> events,
      String format,
      Formats.When made) {
    /** Returns the events and the format in words. */
    public String receives() {
      return String.join(", ", events) + (format.equals("json") ? "" : " (" + format + ")");
    }
  }

  /** An event to select. */
  public record Subscribed(String wire, String means) {}

  private static List<Subscribed> all() {
    return Arrays.stream(EventType.values())
        .map(type -> new Subscribed(type.wire(), means(type)))
        .toList();
  }

  private static String means(EventType type) {
    return switch (type) {
      case STATUS_CHANGE -> "an agent is suspended, activated or revoked";
      case APPROVAL_REQUESTED -> "an action waits for approval";
      case APPROVAL_DECIDED -> "an action was approved or refused";
      case DENY_SPIKE -> "many denials of an agent within 10 minutes";
      case LIMIT_NEAR -> "80 % or 100 % of a limit is used";
      case KEY_EXPIRING -> "an API key expires within 7 days";
      case OBSERVE_MODE -> "observe mode began or ended";
      case ORGANIZATION_HALTED -> "all agents were halted or resumed";
    };
  }

  private static Response list(OpenPage page) {
    List<JsonObject> all =
        page.isOperator() ? all(page, ROWS) : page.get(API + "?limit=" + ROWS).objects("webhooks");
    List<Hook> hooks = all.stream().map(hook -> hook(hook, page)).toList();
    long failing = hooks.stream().filter(Hook::failing).count();
    return page.show(
        "console/webhooks.jte",
        "Webhooks",
        shell ->
            new ListView(
                shell,
                hooks.isEmpty()
                    ? "No webhooks yet. Add an endpoint to be notified when an agent is suspended."
                    : failing == 0
                        ? "No failed deliveries."
                        : Formats.count(failing, "endpoint has", "endpoints have")
                            + " failed deliveries.",
                hooks,
                all(),
                Curl.get(page, API)));
  }

  /**
   * Returns the organization's endpoints, for an operator with the one of the settings; none if the
   * person must not list them.
   */
  static List<JsonObject> all(OpenPage page, int limit) {
    String target = API + "?limit=" + limit;
    return page.isOperator()
        ? page.asOperator("GET", target + "&org_id=" + Formats.url(page.org())).objects("webhooks")
        : page.list(target, "webhooks");
  }

  private static JsonObject call(OpenPage page, String method, String id, String target) {
    return id.equals(GLOBAL) && page.isOperator()
        ? page.asOperator(method, target)
        : page.send(method, target, JsonObject.EMPTY);
  }

  private static Hook hook(JsonObject hook, OpenPage page) {
    String id = hook.text("webhook_id");
    boolean own = hook.string("org_id").isPresent();
    return new Hook(
        LIST + "/" + Formats.url(id),
        id,
        hook.text("url"),
        own
            ? hook.string("agent_id")
                .map(agent -> "agent “" + page.agentName(agent) + "”")
                .orElse("all agents")
            : "all agents of all organizations",
        own,
        hook.isTrue("active"),
        failed(page, id, 1) > 0,
        hook.texts("events"),
        hook.string("format").orElse("json"),
        page.when(hook.text("created_at")));
  }

  /** Returns the number of the endpoint's failed deliveries, counted up to the limit. */
  static int failed(OpenPage page, String id, int limit) {
    String target = API + "/" + Formats.url(id) + "/deliveries?status=dead&limit=" + limit;
    return call(page, "GET", id, target).objects("deliveries").size();
  }

  private static Response add(OpenPage page) {
    JsonObject.Builder body =
        JsonObject.builder()
            .put("url", page.entered("url"))
            .putIfPresent("agent_id", page.field("agent_id"))
            .putIfPresent("format", page.field("format"));
    List<String> events = page.request().formFields("events");
    if (!events.isEmpty()) {
      body.put("events", JsonArray.ofStrings(events));
    }
    JsonObject made = page.send("POST", API, body.build());
    return secret(page, "The endpoint’s secret", made.child("webhook"));
  }

  private static Response secret(OpenPage page, String title, JsonObject webhook) {
    return page.secret(
        title,
        "Signs every delivery to "
            + webhook.text("url")
            + ". Use it to verify the signature. It is stored encrypted.",
        webhook.text("secret"),
        "",
        LIST + "/" + Formats.url(webhook.text("webhook_id")));
  }

  /** One webhook endpoint; {@code console/webhook.jte}. */
  public record Detail(
      Layout shell,
      Hook hook,
      String managed,
      List<Subscribed> events,
      String failed,
      Deliveries deliveries) {}

  /** A page of the deliveries with a status; empty for any. */
  public record Deliveries(String status, List<Delivery> page, String next, String curl) {}

  /** A delivery and its result. */
  public record Delivery(
      String resend,
      String what,
      String agent,
      String agentName,
      String status,
      String answer,
      String attempts,
      String failure,
      String payload,
      Formats.When at) {}

  private static Response detail(OpenPage page) {
    String api = API + "/" + id(page);
    JsonObject answer = call(page, "GET", id(page), api);
    Hook hook = hook(answer.object("webhook").orElse(answer), page);
    int failed = hook.failing() ? failed(page, hook.id(), MOST_COUNTED) : 0;
    String status =
        page.query("status")
            .filter(List.of("dead", "delivered", "sending", "waiting")::contains)
            .orElse("");
    String query = status.isEmpty() ? "" : "&status=" + status;
    JsonObject deliveries =
        call(page, "GET", id(page), api + "/deliveries?limit=" + ROWS + query + page.cursor());
    return page.show(
        "console/webhook.jte",
        "Webhook",
        shell ->
            new Detail(
                shell,
                hook,
                hook.own() ? ManagedByCode.sentence(page, hook.id()) : "",
                all(),
                failed(failed),
                new Deliveries(
                    status,
                    deliveries.objects("deliveries").stream()
                        .map(d -> delivery(d, hook, page))
                        .toList(),
                    OpenPage.next(
                        hook.path() + (status.isEmpty() ? "" : "?status=" + status), deliveries),
                    Curl.get(page, api + "/deliveries"))));
  }

  private static String failed(int failed) {
    String deliveries = Formats.count(failed, "delivery", "deliveries") + " failed.";
    return failed == 0 ? "" : failed < MOST_COUNTED ? deliveries : "At least " + deliveries;
  }

  private static Delivery delivery(JsonObject delivery, Hook hook, OpenPage page) {
    JsonObject payload = delivery.child("payload");
    return new Delivery(
        hook.path() + "/deliveries/" + Formats.url(delivery.text("delivery_id")) + "/resend",
        payload
            .string("previous_status")
            .map(before -> before + " → " + payload.text("status"))
            .orElseGet(() -> delivery.text("event_type")),
        delivery.text("agent_id"),
        delivery.string("agent_id").map(page::agentName).orElse(""),
        delivery.text("status"),
        delivery.whole("response_status").map(String::valueOf).orElse("no response")
            + delivery.whole("response_time_ms").map(ms -> " in " + ms + " ms").orElse(""),
        delivery.whole("attempts").map(n -> Formats.count(n, "attempt", "attempts")).orElse(""),
        delivery.text("failure_reason"),
        Json.text(payload),
        page.when(delivery.text("created_at")));
  }

  private static Response edit(OpenPage page) {
    JsonObject.Builder body =
        JsonObject.builder()
            .put("url", page.entered("url"))
            .put("format", page.entered("format"))
            .put("events", JsonArray.ofStrings(page.request().formFields("events")));
    page.send("PATCH", API + "/" + id(page), body.build());
    return OpenPage.done(LIST + "/" + id(page), FlashMessage.WEBHOOK_CHANGED);
  }

  private static Response active(OpenPage page) {
    boolean active = page.entered("active").equals("true");
    page.send("PATCH", API + "/" + id(page), JsonObject.of("active", active));
    return OpenPage.done(LIST + "/" + id(page), FlashMessage.WEBHOOK_CHANGED);
  }

  private static Response test(OpenPage page) {
    JsonObject sent = page.send("POST", API + "/" + id(page) + "/test", JsonObject.EMPTY);
    if (!sent.isTrue("ok")) {
      throw ProblemException.invalid("The test failed: " + sent.text("failure_reason"));
    }
    return OpenPage.done(LIST + "/" + id(page), FlashMessage.TEST_SENT);
  }

  private static Response rotate(OpenPage page) {
    JsonObject made = page.send("POST", API + "/" + id(page) + "/rotate-secret", JsonObject.EMPTY);
    return secret(page, "The new secret", made.child("webhook"));
  }

  private static Response remove(OpenPage page) {
    page.send("DELETE", API + "/" + id(page), JsonObject.EMPTY);
    return OpenPage.done(LIST, FlashMessage.WEBHOOK_REMOVED);
  }

  private static Response resendAll(OpenPage page) {
    return resend(page, "/" + id(page));
  }

  private static Response resend(OpenPage page) {
    return resend(page, "/deliveries/" + Formats.url(page.param("delivery_id")));
  }

  private static Response resend(OpenPage page, String what) {
    JsonObject sent = call(page, "POST", id(page), API + what + "/redeliver");
    return OpenPage.done(
        LIST + "/" + id(page),
        sent.isTrue("ok") ? FlashMessage.RESENT : FlashMessage.RESENT_FAILED);
  }

  private static String id(OpenPage page) {
    return Formats.url(page.param("webhook_id"));
  }
}
