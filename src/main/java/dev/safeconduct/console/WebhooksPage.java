package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.ProblemException;
import java.util.List;

/** Receivers of status changes, what was delivered to them, and what was not. */
public final class WebhooksPage {
  private static final String LIST = "/console/webhooks";
  private static final String API = "/api/webhooks";
  private static final int ROWS = 50;

  private final DoorPage door;

  WebhooksPage(DoorPage door) {
    this.door = door;
  }

  List<Route> routes() {
    String one = LIST + "/{webhook_id}";
    return List.of(
        door.page(LIST, this::list),
        door.form(LIST, this::add),
        door.page(one, this::detail),
        door.form(one + "/active", this::active),
        door.form(one + "/rotate-secret", this::rotate),
        door.form(one + "/remove", this::remove),
        door.form(one + "/resend", this::resendAll),
        door.form(one + "/deliveries/{delivery_id}/resend", this::resend));
  }

  /** The list; {@code console/webhooks.jte}. */
  public record ListView(Shell shell, String lead, List<Hook> hooks, String curl) {
    public ListView {
      hooks = List.copyOf(hooks);
    }
  }

  /** A receiver. */
  public record Hook(
      String path, String id, String url, String about, boolean active, int dead, Show.When made) {}

  private Response list(OpenPage page) {
    List<Hook> hooks =
        Read.objects(page.get(API + "?limit=" + ROWS), "webhooks").stream()
            .map(h -> hook(h, page))
            .toList();
    int dead = hooks.stream().mapToInt(Hook::dead).sum();
    return page.show(
        "console/webhooks.jte",
        "Webhooks",
        shell ->
            new ListView(
                shell,
                hooks.isEmpty()
                    ? "Nobody is told when an agent is suspended. Add a receiver, and it hears within"
                        + " the request."
                    : dead == 0
                        ? "Everything has been delivered."
                        : Show.count(dead, "dead letter waits", "dead letters wait")
                            + " to be sent again.",
                hooks,
                Curl.get(page, API)));
  }

  private static Hook hook(JsonObject hook, OpenPage page) {
    String id = Read.text(hook, "webhook_id");
    return new Hook(
        LIST + "/" + Show.url(id),
        id,
        Read.text(hook, "url"),
        hook.string("agent_id").map(agent -> "about " + Show.id(agent)).orElse("about every agent"),
        hook.isTrue("active"),
        page.list(API + "/" + Show.url(id) + "/deliveries?status=dead&limit=200", "deliveries")
            .size(),
        Show.when(Read.text(hook, "created_at"), page.now()));
  }

  private Response add(OpenPage page) {
    JsonObject.Builder body = JsonObject.builder().put("url", page.field("url").orElse(""));
    page.field("agent_id").ifPresent(agent -> body.put("agent_id", agent));
    try {
      JsonObject made = page.send("POST", API, body.build());
      return secret(page, "The receiver’s secret", Read.object(made, "webhook"));
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> list(page));
    }
  }

  private static Response secret(OpenPage page, String title, JsonObject webhook) {
    return page.show(
        "console/secret.jte",
        title,
        shell ->
            new Secret(
                shell,
                title,
                "It signs every delivery to "
                    + Read.text(webhook, "url")
                    + ". The receiver checks it.",
                Read.text(webhook, "secret"),
                "",
                LIST + "/" + Show.url(Read.text(webhook, "webhook_id"))));
  }

  /** One receiver; {@code console/webhook.jte}. */
  public record Detail(
      Shell shell, Hook hook, String status, List<Delivery> deliveries, String next, String curl) {
    public Detail {
      deliveries = List.copyOf(deliveries);
    }
  }

  /** What was sent, and what came of it. */
  public record Delivery(
      String resend,
      String what,
      String agent,
      String status,
      String answer,
      String attempts,
      String failure,
      String payload,
      Show.When at) {}

  private Response detail(OpenPage page) {
    String api = API + "/" + id(page);
    JsonObject answer = page.get(api);
    Hook hook = hook(answer.object("webhook").orElse(answer), page);
    String status =
        page.query("status").filter(List.of("dead", "delivered", "sending")::contains).orElse("");
    String query = status.isEmpty() ? "" : "&status=" + status;
    JsonObject deliveries =
        page.get(
            api
                + "/deliveries?limit="
                + ROWS
                + query
                + page.query("cursor").map(c -> "&cursor=" + Show.url(c)).orElse(""));
    return page.show(
        "console/webhook.jte",
        "Webhook",
        shell ->
            new Detail(
                shell,
                hook,
                status,
                Read.objects(deliveries, "deliveries").stream()
                    .map(d -> delivery(d, hook, page))
                    .toList(),
                deliveries
                    .string("next_cursor")
                    .map(c -> hook.path() + "?cursor=" + Show.url(c) + query)
                    .orElse(""),
                Curl.get(page, api + "/deliveries")));
  }

  private static Delivery delivery(JsonObject delivery, Hook hook, OpenPage page) {
    JsonObject payload = Read.object(delivery, "payload");
    return new Delivery(
        hook.path() + "/deliveries/" + Show.url(Read.text(delivery, "delivery_id")) + "/resend",
        Read.text(payload, "previous_status") + " → " + Read.text(payload, "status"),
        Read.text(delivery, "agent_id"),
        Read.text(delivery, "status"),
        Read.whole(delivery, "response_status").map(String::valueOf).orElse("no answer")
            + Read.whole(delivery, "response_time_ms").map(ms -> " in " + ms + " ms").orElse(""),
        Read.whole(delivery, "attempts").map(n -> Show.count(n, "try", "tries")).orElse(""),
        Read.text(delivery, "failure_reason"),
        Json.text(payload),
        Show.when(Read.text(delivery, "created_at"), page.now()));
  }

  private Response active(OpenPage page) {
    boolean active = page.field("active").orElse("").equals("true");
    page.send("PATCH", API + "/" + id(page), JsonObject.builder().put("active", active).build());
    return OpenPage.done(LIST + "/" + id(page), Done.WEBHOOK_CHANGED);
  }

  private Response rotate(OpenPage page) {
    JsonObject made = page.send("POST", API + "/" + id(page) + "/rotate-secret", JsonObject.EMPTY);
    return secret(page, "The new secret", Read.object(made, "webhook"));
  }

  private Response remove(OpenPage page) {
    page.send("DELETE", API + "/" + id(page), JsonObject.EMPTY);
    return OpenPage.done(LIST, Done.WEBHOOK_REMOVED);
  }

  private Response resendAll(OpenPage page) {
    JsonObject sent = page.send("POST", API + "/" + id(page) + "/redeliver", JsonObject.EMPTY);
    return resent(page, sent.isTrue("ok"));
  }

  private Response resend(OpenPage page) {
    JsonObject sent =
        page.send(
            "POST",
            API + "/deliveries/" + Show.url(page.request().pathParam("delivery_id")) + "/redeliver",
            JsonObject.EMPTY);
    return resent(page, sent.isTrue("ok"));
  }

  private static Response resent(OpenPage page, boolean arrived) {
    return OpenPage.done(LIST + "/" + id(page), arrived ? Done.RESENT : Done.RESENT_FAILED);
  }

  private static String id(OpenPage page) {
    return Show.url(page.request().pathParam("webhook_id"));
  }
}
