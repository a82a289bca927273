package dev.safeconduct.audit;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.StoredRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The endpoints of an organization's retention and of early erasure. */
public final class RetentionEndpoints implements AutoCloseable {
  private static final String PATH = "/api/orgs/{org_id}/retention";
  private static final int MOST_DAYS = 36_500;
  private static final int AT_ONCE = 1_000;
  private static final int MAX_REASON = 500;

  private final Erasures erasures;
  private final AuditLog log;
  private final Recorder recorder;
  private final ActingOrganization organization;
  private final KeepRetention keeper;

  /** Starts to erase expired records. */
  public RetentionEndpoints(
      Erasures erasures, AuditLog log, Recorder recorder, ActingOrganization organization) {
    this.erasures = erasures;
    this.log = log;
    this.recorder = recorder;
    this.organization = organization;
    this.keeper = new KeepRetention(erasures, recorder);
    keeper.start();
  }

  public List<Route> routes() {
    return List.of(
        Route.get(PATH, new Permission.Scoped(Scope.READ_AUDIT), this::read),
        Route.put(PATH, Permission.ADMINISTRATOR, this::set),
        Route.delete("/api/audit", Permission.ADMINISTRATOR, this::eraseMany),
        Route.delete("/api/audit/{record_id}", Permission.ADMINISTRATOR, this::eraseOne));
  }

  private Response read(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    OrgId org = organization.named(rights, request.pathParam("org_id"));
    return Response.json(shape(org, erasures.find(org)));
  }

  private Response set(Request request) {
    OrgId org = organization.named(Rights.of(request.caller()), request.pathParam("org_id"));
    // A typo here would store records too long or erase them permanently.
    Members body = Members.of(request.json()).only(Set.of("days"));
    Optional<Integer> wanted = days(body);
    Instant now = recorder.now();
    Retention set =
        erasures.set(
            new Retention(org, wanted, now),
            before ->
                record(
                    recorder,
                    request.origin(),
                    new Retention(org, wanted, now),
                    before.flatMap(Retention::days)));
    keeper.wake();
    return Response.json(shape(org, Optional.of(set)));
  }

  static AuditRecord record(
      Recorder recorder, Origin origin, Retention set, Optional<Integer> previous) {
    JsonObject what =
        JsonObject.builder()
            .put("change", "retention_set")
            .putNumberOrNull("days", set.days())
            .putNumberOrNull("previous_days", previous)
            .build();
    return recorder.write(RecordKind.CONFIG, set.org(), set.updatedAt(), origin, what);
  }

  /** Reads the days that a body must have; empty for null. */
  static Optional<Integer> days(Members body) {
    if (!body.object().has("days")) {
      throw body.missing("days");
    }
    OptionalLong days = body.whole("days", 1, MOST_DAYS);
    return days.isPresent() ? Optional.of((int) days.getAsLong()) : Optional.empty();
  }

  private static JsonObject shape(OrgId org, Optional<Retention> retention) {
    return JsonObject.builder()
        .put("org_id", org.value())
        .putNumberOrNull("days", retention.flatMap(Retention::days))
        .putOrNull("updated_at", retention.map(Retention::updatedAt).map(IsoInstant::millis))
        .build();
  }

  private Response eraseOne(Request request) {
    OrgId org = org(request);
    String text = request.pathParam("record_id");
    Optional<StoredRecord> found =
        AuditLog.recordId(text).flatMap(id -> log.find(new Tenant.One(org), id));
    if (found.isEmpty()) {
      throw ProblemException.notFound("No such record is known.", "record_not_found", Map.of());
    }
    RecordKind kind = found.get().entry().kind();
    if (kind == RecordKind.ERASURE || kind == RecordKind.CONFIG) {
      throw ProblemException.conflict(
          "Records of erasures and settings stay: the others are checked by them.",
          "record_is_kept");
    }
    return erased(
        request, org, new Erasures.Selection.One(found.get().entry().id()), JsonObject.EMPTY);
  }

  private Response eraseMany(Request request) {
    AuditFilter filter = AuditFilter.parse(request::query);
    if (filter.agent().isEmpty() && filter.policyId().isEmpty() && filter.to().isEmpty()) {
      throw ProblemException.invalid(
          "agent_id", "Say what to erase: agent_id, policy_id or to (a time), or several.");
    }
    JsonObject.Builder chosen = JsonObject.builder();
    filter.kind().ifPresent(kind -> chosen.put("kind", kind.wire()));
    filter.agent().ifPresent(agent -> chosen.put("agent_id", agent.value()));
    filter.policyId().ifPresent(policy -> chosen.put("policy_id", policy));
    filter.from().ifPresent(from -> chosen.put("from", IsoInstant.millis(from)));
    filter.to().ifPresent(to -> chosen.put("to", IsoInstant.millis(to)));
    return erased(request, org(request), new Erasures.Selection.Matching(filter), chosen.build());
  }

  /** Returns the reason that a request for a deletion must give. */
  public static String reason(Request request) {
    return request
        .query("reason")
        .map(String::strip)
        .filter(text -> !text.isEmpty() && text.length() <= MAX_REASON)
        .orElseThrow(
            () -> ProblemException.invalid("reason", "Say why in reason, in 1 to 500 characters."));
  }

  private Response erased(
      Request request, OrgId org, Erasures.Selection selection, JsonObject chosen) {
    String reason = reason(request);
    Optional<Erased> erased =
        erasures.erase(org, selection, AT_ONCE, what -> record(request, org, what, reason, chosen));
    int count = erased.map(Erased::count).orElse(0);
    return Response.ok(
        JsonObject.builder().put("erased", (long) count).put("more", count == AT_ONCE));
  }

  /** Describes the selection without names, because a name would preserve erased data. */
  private AuditRecord record(
      Request request, OrgId org, Erased erased, String reason, JsonObject chosen) {
    JsonObject what =
        erased
            .told()
            .put("cause", "request")
            .put("reason", reason)
            .put("selected_by", JsonArray.ofStrings(List.copyOf(chosen.names())))
            .build();
    return recorder.write(RecordKind.ERASURE, org, recorder.now(), request.origin(), what);
  }

  private OrgId org(Request request) {
    Rights rights = Rights.of(request.caller());
    return request
        .query("org_id")
        .map(text -> organization.named(rights, text))
        .orElseGet(() -> organization.of(rights));
  }

  /** Stops erasing. */
  @Override
  public void close() {
    keeper.close();
  }
}
