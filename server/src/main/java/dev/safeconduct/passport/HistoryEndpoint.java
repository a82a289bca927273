package dev.safeconduct.passport;

import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import java.util.List;

/** {@code GET /api/passports/{agent_id}/history}: each change, its author and its reason. */
public final class HistoryEndpoint {
  private static final List<String> OF_BODY =
      List.of(
          "version",
          "status",
          "previous_status",
          "changed",
          "values",
          "reason",
          "method",
          "account_id",
          "passport_digest");
  private static final List<String> OF_DETAILS = List.of("caller", "address", "request_id");

  private final FindPassport findPassport;
  private final AuditLog log;

  public HistoryEndpoint(FindPassport findPassport, AuditLog log) {
    this.findPassport = findPassport;
    this.log = log;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
            "/api/passports/{agent_id}/history",
            Permission.scope(Scope.READ_AUDIT),
            this::history));
  }

  private Response history(Request request) {
    Passport passport =
        findPassport.run(request.caller(), FindPassport.named(request.pathParam("agent_id")));
    ListPage page = ListPage.of(request);
    long before = page.after().map(HistoryEndpoint::index).orElse(Long.MAX_VALUE);
    List<StoredRecord> found =
        log.history(new Tenant.One(passport.owner()), passport.agentId(), before, page.fetch());
    return page.answer(
        "history", found, record -> Long.toString(record.logIndex()), HistoryEndpoint::shape);
  }

  private static long index(String cursor) {
    try {
      return Long.parseLong(cursor);
    } catch (NumberFormatException _) {
      throw ProblemException.invalid(
          "cursor", "cursor must be the next_cursor of the page before.");
    }
  }

  private static JsonObject shape(StoredRecord stored) {
    AuditRecord entry = stored.entry();
    return JsonObject.builder()
        .put("record_id", entry.id().toString())
        .put("kind", entry.kind().wire())
        .put("at", IsoInstant.millis(entry.at()))
        .putAll(Json.own(entry.body()).only(OF_BODY))
        .putAll(Json.own(entry.details()).only(OF_DETAILS))
        .build();
  }
}
