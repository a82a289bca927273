package dev.safeconduct.audit;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The endpoints to read the audit log, within the caller's organization. */
public final class AuditEndpoints {
  private static final Permission READ_AUDIT = new Permission.Scoped(Scope.READ_AUDIT);

  private static final int LOOKED_AT_ONCE = 500;
  private static final int MOST_LOOKED = 10_000;

  private final AuditLog log;
  private final MerkleLog tree;
  private final Checkpoints checkpoints;

  public AuditEndpoints(AuditLog log, MerkleLog tree, Checkpoints checkpoints) {
    this.log = log;
    this.tree = tree;
    this.checkpoints = checkpoints;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/decisions/{decision_id}", READ_AUDIT, this::decision),
        Route.get("/api/verify/decisions/get/{decision_id}", READ_AUDIT, this::decision),
        Route.get("/api/audit", READ_AUDIT, this::list),
        Route.get("/api/audit/export", READ_AUDIT, this::export),
        Route.get("/api/audit/{record_id}", READ_AUDIT, this::record),
        Route.get("/api/audit/{record_id}/proof", READ_AUDIT, this::proof));
  }

  private Response decision(Request request) {
    StoredRecord stored = find(request, "decision_id", "decision_not_found");
    if (stored.entry().kind() != RecordKind.DECISION) {
      throw notFound("decision_not_found", request.pathParam("decision_id"));
    }
    if (stored.commitment().isErased()) {
      throw new Problem.Gone("The contents of this decision were erased.").toException();
    }
    return Response.json(200, RecordJson.decision(stored));
  }

  private Response record(Request request) {
    return Response.json(200, RecordJson.record(find(request, "record_id", "record_not_found")));
  }

  private Response proof(Request request) {
    StoredRecord stored = find(request, "record_id", "record_not_found");
    return Response.json(200, InclusionProof.of(stored, tree, checkpoints).json());
  }

  private Response list(Request request) {
    AuditQuery query = AuditQuery.parse(request::query);
    if (!query.text().isEmpty()) {
      return search(request, query);
    }
    List<StoredRecord> found =
        log.list(tenant(request), query.filter(), query.before(), query.limit() + 1);
    boolean more = found.size() > query.limit();
    var records = new ArrayList<JsonValue>();
    for (StoredRecord record : more ? found.subList(0, query.limit()) : found) {
      if (seen(request.caller(), record)) {
        records.add(RecordJson.record(record));
      }
    }
    return page(
        records, more ? Optional.of(found.get(query.limit() - 1).logIndex()) : Optional.empty());
  }

  /**
   * Scans a limited number of the newest records: a page may be short or empty and still have a
   * next one.
   */
  private Response search(Request request, AuditQuery query) {
    var records = new ArrayList<JsonValue>();
    long before = query.before();
    for (int looked = 0; looked < MOST_LOOKED; looked += LOOKED_AT_ONCE) {
      List<StoredRecord> chunk = log.list(tenant(request), query.filter(), before, LOOKED_AT_ONCE);
      for (StoredRecord record : chunk) {
        before = record.logIndex();
        if (seen(request.caller(), record) && query.text().matches(record)) {
          records.add(RecordJson.record(record));
          if (records.size() == query.limit()) {
            return page(records, Optional.of(before));
          }
        }
      }
      if (chunk.size() < LOOKED_AT_ONCE) {
        return page(records, Optional.empty());
      }
    }
    return page(records, Optional.of(before));
  }

  private static Response page(List<JsonValue> records, Optional<Long> next) {
    return Response.ok(
        JsonObject.builder()
            .put("records", new JsonArray(records))
            .putOrNull("next_cursor", next.map(String::valueOf)));
  }

  /**
   * {@code cursor}: the position of the last record the caller has; the export continues after it.
   */
  private Response export(Request request) {
    AuditFilter filter = AuditFilter.parse(request::query);
    RecordExport.Format format =
        RecordExport.Format.parse(request.query("format").orElse("ndjson"))
            .orElseThrow(() -> ProblemException.invalid("format", "format must be ndjson or csv."));
    long after = request.query("cursor").map(AuditQuery::cursor).orElse(-1L);
    long end = tree.size();
    Caller caller = request.caller();
    var export = new RecordExport(log, tenant(request), filter, record -> seen(caller, record));
    return Response.stream(
        200, format.contentType(), out -> export.write(out, format, after, end, _ -> {}));
  }

  private StoredRecord find(Request request, String param, String reason) {
    String text = request.pathParam(param);
    Optional<UUID> id = AuditLog.recordId(text);
    return id.flatMap(known -> log.find(tenant(request), known))
        .filter(record -> seen(request.caller(), record))
        .orElseThrow(() -> notFound(reason, text));
  }

  /** Restricts a setup key to its own passport's records. */
  private static boolean seen(Caller caller, StoredRecord record) {
    return !(caller instanceof Caller.Key key)
        || key.boundTo().isEmpty()
        || key.boundTo().equals(record.entry().agent());
  }

  /** Returns the tenant to read: all organizations, for an operator who names none. */
  public static Tenant tenant(Request request) {
    return switch (request.caller()) {
      case Caller.Key key -> new Tenant.One(key.org());
      case Caller.Deploy deploy -> new Tenant.One(deploy.org());
      case Caller.Person person -> new Tenant.One(person.org());
      case Caller.Admin _ ->
          request
              .query("org_id")
              .filter(id -> !id.isEmpty() && id.length() <= 128)
              .<Tenant>map(id -> new Tenant.One(new OrgId(id)))
              .orElseGet(Tenant.Everyone::new);
      case Caller.Anonymous _ -> throw ProblemException.forbidden("A credential is needed.");
    };
  }

  private static RuntimeException notFound(String reason, String id) {
    return ProblemException.notFound(
        "No such record is known.", reason, Map.of("id", id.length() > 128 ? "" : id));
  }
}
