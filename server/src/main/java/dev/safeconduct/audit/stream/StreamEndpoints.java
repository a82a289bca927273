package dev.safeconduct.audit.stream;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Locale;

/** {@code /api/admin/audit-streams}: how far each destination of the audit log has come. */
public final class StreamEndpoints {
  private static final int SET_ASIDE = 100;

  private final AuditStreams streams;

  public StreamEndpoints(AuditStreams streams) {
    this.streams = streams;
  }

  public List<Route> routes() {
    return List.of(Route.get("/api/admin/audit-streams", Permission.ADMIN_ONLY, this::list));
  }

  private Response list(Request request) {
    return Response.ok(
        JsonObject.builder().put("streams", streams.states(SET_ASIDE), StreamEndpoints::shape));
  }

  private static JsonObject shape(AuditStreams.State state) {
    return JsonObject.builder()
        .put("name", state.stream().name())
        .put("protocol", state.stream().protocol().name().toLowerCase(Locale.ROOT))
        .put("format", state.stream().format().name().toLowerCase(Locale.ROOT))
        .put("next_index", state.cursor().progress().next())
        .put("lag_records", state.lag().records())
        .put("lag_seconds", state.lag().age().toSeconds())
        .put("sent_by_this_node", state.sentHere())
        .putOrNull(
            "failing_since", state.cursor().progress().failingSince().map(IsoInstant::millis))
        .putOrNull("error", state.cursor().progress().error())
        .put("set_aside_records", state.countSetAside())
        .put("set_aside", state.setAside(), StreamEndpoints::setAside)
        .build();
  }

  private static JsonObject setAside(StreamCursors.SetAside each) {
    return JsonObject.builder()
        .put("first_index", each.first())
        .put("last_index", each.last())
        .put("records", each.records())
        .put("answer", each.answer())
        .put("at", IsoInstant.millis(each.at()))
        .build();
  }
}
