package dev.safeconduct.webhook;

import dev.safeconduct.error.Problem;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.webhook.delivery.Delivery;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The endpoints for deliveries and redeliveries. The operator's receiver has the id {@code global}.
 */
final class DeliveryEndpoints {
  private static final String WEBHOOK = "/api/webhooks/{webhook_id}";

  private final Redeliver redeliver;

  DeliveryEndpoints(Redeliver redeliver) {
    this.redeliver = redeliver;
  }

  List<Route> routes() {
    Permission permission = new Permission.Scoped(Scope.MANAGE_WEBHOOKS);
    return List.of(
        Route.get(WEBHOOK + "/deliveries", permission, this::list),
        Route.post(WEBHOOK + "/redeliver", permission, this::redeliverAll),
        Route.post(
            "/api/webhooks/deliveries/{delivery_id}/redeliver", permission, this::redeliverOne));
  }

  private Response list(Request request) {
    ListPage page = ListPage.of(request);
    Optional<Delivery.State> state =
        request.query("status").filter(text -> !text.isEmpty()).map(DeliveryEndpoints::state);
    return page.answer(
        "deliveries",
        redeliver.list(
            request.origin(), request.pathParam("webhook_id"), state, page.after(), page.fetch()),
        Delivery::id,
        WebhookJson::delivery);
  }

  private static Delivery.State state(String text) {
    return Delivery.State.parse(text)
        .orElseThrow(() ->
            Problem.invalid("status", "status must be one of sending, waiting, delivered, dead.")
                .toException());
  }

  private Response redeliverOne(Request request) {
    Delivery delivery = redeliver.one(request.origin(), request.pathParam("delivery_id"));
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
    Redeliver.Summary summary = redeliver.all(request.origin(), id, since);
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
}
