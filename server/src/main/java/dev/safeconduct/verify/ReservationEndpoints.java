package dev.safeconduct.verify;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.verify.Reservation.Kind;
import java.util.List;

/** {@code /api/usage/{reservation_id}}: commits or releases the charges of an allow. */
public final class ReservationEndpoints {
  private static final String RESERVATION = "/api/usage/{reservation_id}";

  private final SettleReservation settle;

  public ReservationEndpoints(SettleReservation settle) {
    this.settle = settle;
  }

  public List<Route> routes() {
    Permission update = new Permission.Scoped(Scope.UPDATE);
    return List.of(
        Route.post(RESERVATION + "/commit", update, request -> settled(request, Kind.COMMITTED)),
        Route.post(RESERVATION + "/release", update, request -> settled(request, Kind.RELEASED)));
  }

  private Response settled(Request request, Kind kind) {
    SettleReservation.Settled done =
        settle.run(request.origin(), request.pathParam("reservation_id"), kind);
    Reservation reservation = done.reservation();
    return Response.json(
        JsonObject.builder()
            .put("ok", true)
            .put("reservation_id", reservation.id())
            .put("status", done.settlement().kind().wire())
            .put("settled_at", IsoInstant.millis(done.settlement().at()))
            .put("expires_at", IsoInstant.millis(reservation.expiresAt()))
            .put("decision_id", reservation.decisionId().toString())
            .put("agent_id", reservation.agentId())
            .put("policy_id", reservation.policyId()));
  }
}
