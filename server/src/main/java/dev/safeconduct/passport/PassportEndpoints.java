package dev.safeconduct.passport;

import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.KeyShape;
import dev.safeconduct.access.ManageKeys;
import dev.safeconduct.access.MintedKey;
import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.text.Words;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code /api/passports}: issues, returns and changes passports, and creates setup keys. */
public final class PassportEndpoints {
  private static final String PASSPORT = "/api/passports/{agent_id}";

  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

  private static final List<String> OF_BODY =
      Words.list(
          """
          version status previous_status changed values reason method account_id passport_digest
          """);
  private static final List<String> OF_DETAILS = List.of("caller", "address", "request_id");

  private final FindPassport findPassport;
  private final IssuePassport issuePassport;
  private final UpdatePassport updatePassport;
  private final ManageKeys manageKeys;
  private final ActingOrganization organization;
  private final AuditLog log;

  public PassportEndpoints(
      FindPassport findPassport,
      IssuePassport issuePassport,
      UpdatePassport updatePassport,
      ManageKeys manageKeys,
      ActingOrganization organization,
      AuditLog log) {
    this.findPassport = findPassport;
    this.issuePassport = issuePassport;
    this.updatePassport = updatePassport;
    this.manageKeys = manageKeys;
    this.organization = organization;
    this.log = log;
  }

  public List<Route> routes() {
    Permission read = new Permission.Scoped(Scope.READ);
    Permission issue = new Permission.Scoped(Scope.ISSUE);
    Permission update = new Permission.Scoped(Scope.UPDATE);
    return List.of(
        Route.get(PASSPORT, read, this::read).deploy(),
        Route.get("/api/passports/by-slug/{slug}", read, this::bySlug).deploy(),
        Route.post("/api/passports", issue, this::issue).deploy(),
        Route.patch(PASSPORT, update, this::update).deploy(),
        Route.put(PASSPORT, update, this::update).deploy(),
        Route.post(PASSPORT + "/setup-key", issue, this::setupKey),
        Route.get(PASSPORT + "/history", Permission.scope(Scope.READ_AUDIT), this::history));
  }

  private Response read(Request request) {
    var id = FindPassport.named(request.pathParam("agent_id"));
    return whole(request, findPassport.run(request.caller(), id));
  }

  private Response bySlug(Request request) {
    return whole(request, findPassport.bySlug(request.caller(), request.pathParam("slug")));
  }

  private static Response whole(Request request, Passport passport) {
    if (request.query("format").filter(format -> !format.equals("json")).isPresent()) {
      throw ProblemException.invalid(
          "format",
          "format must be json; GET /api/verify/{agent_id}?format=oap is the signed document.");
    }
    EntityTag tag = EntityTag.of(passport.revision());
    boolean known = request.header("If-None-Match").filter(tag::satisfiesIfNoneMatch).isPresent();
    return (known ? Response.empty(304) : Response.json(200, passport.document()))
        .header("ETag", tag.header());
  }

  private Response issue(Request request) {
    Rights rights = Rights.of(request.caller());
    rights.demandUnbound();
    JsonObject body = request.json();
    OrgId owner =
        Members.of(body)
            .text("org_id")
            .or(() -> request.query("org_id"))
            .map(named -> organization.named(rights, named))
            .orElseGet(() -> organization.of(rights));
    IssuePassport.Issued issued =
        issuePassport.run(request.origin(), owner, body, IssuePassport.Claim.CLAIMED);
    Passport passport = issued.passport();
    return Response.json(201, with(passport, issued.warnings()))
        .header("Location", "/api/passports/" + passport.agentId())
        .header("ETag", EntityTag.of(passport.revision()).header());
  }

  private Response update(Request request) {
    var update =
        new UpdatePassport.Update(
            FindPassport.named(request.pathParam("agent_id")),
            request.json(),
            request.header("If-Match"),
            evidence(request));
    UpdatePassport.Updated updated = updatePassport.run(request.origin(), update);
    JsonObject answer = with(updated.passport(), updated.warnings());
    return Response.json(
            200,
            updated
                .delivery()
                .map(delivery -> answer.with("webhook", StatusBody.webhook(delivery)))
                .orElse(answer))
        .header("ETag", EntityTag.of(updated.passport().revision()).header());
  }

  /** Returns the digest that a suggestion named, to be recorded with the update. */
  private static Optional<String> evidence(Request request) {
    Optional<String> digest = request.query("evidence");
    if (digest.isPresent() && !DIGEST.matcher(digest.get()).matches()) {
      throw ProblemException.invalid(
          "evidence", "evidence must be sha256: and 64 hexadecimal digits.");
    }
    return digest;
  }

  private Response setupKey(Request request) {
    Passport passport =
        findPassport.run(request.caller(), FindPassport.named(request.pathParam("agent_id")));
    Members body = Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY);
    MintedKey minted =
        manageKeys.create(
            request.origin(), passport.owner(), KeyRequest.parseSetupKey(body, passport.agentId()));
    JsonObject key =
        JsonObject.builder()
            .put("key_id", minted.key().id())
            .put("key", minted.text())
            .put("scopes", KeyShape.scopes(minted.key()))
            .build();
    return Response.json(201, key.with("data", key));
  }

  /** Returns the stored passport with the warnings added; warnings are not part of the passport. */
  private static JsonObject with(Passport passport, List<String> warnings) {
    return warnings.isEmpty()
        ? passport.document()
        : passport.document().with("warnings", JsonArray.ofStrings(warnings));
  }

  /** Returns each change, its author and its reason. */
  private Response history(Request request) {
    Passport passport =
        findPassport.run(request.caller(), FindPassport.named(request.pathParam("agent_id")));
    ListPage page = ListPage.of(request);
    long before = page.after().map(PassportEndpoints::index).orElse(Long.MAX_VALUE);
    List<StoredRecord> found =
        log.history(new Tenant.One(passport.owner()), passport.agentId(), before, page.fetch());
    return page.answer(
        "history", found, record -> Long.toString(record.logIndex()), PassportEndpoints::change);
  }

  private static long index(String cursor) {
    try {
      return Long.parseLong(cursor);
    } catch (NumberFormatException _) {
      throw ProblemException.invalid(
          "cursor", "cursor must be the next_cursor of the page before.");
    }
  }

  private static JsonObject change(StoredRecord stored) {
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
