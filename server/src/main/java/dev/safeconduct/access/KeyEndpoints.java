package dev.safeconduct.access;

import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** {@code /api/orgs/{org_id}/keys}: list, create, read, change, revoke, rotate. */
public final class KeyEndpoints {
  private static final String KEYS = "/api/orgs/{org_id}/keys";
  private static final String KEY = KEYS + "/{key_id}";

  private final ApiKeys keys;
  private final Directory directory;
  private final ManageKeys manage;

  public KeyEndpoints(ApiKeys keys, Directory directory, ManageKeys manage) {
    this.keys = keys;
    this.directory = directory;
    this.manage = manage;
  }

  public List<Route> routes() {
    Permission permission = new Permission.Scoped(Scope.MANAGE_KEYS);
    return List.of(
        Route.get(KEYS, permission, this::list),
        Route.post(KEYS, permission, this::create),
        Route.get(KEY, permission, this::read),
        Route.patch(KEY, permission, this::update),
        Route.delete(KEY, permission, this::revoke),
        Route.post(KEY + "/rotate", permission, this::rotate));
  }

  private Response list(Request request) {
    Rights rights = Rights.of(request.caller());
    OrgId org = org(request);
    rights.demandUnbound();
    ListPage page = ListPage.of(request);
    return page.answer(
        "keys", keys.list(org, page.after(), page.fetch()), ApiKey::id, KeyShape::listed);
  }

  private Response create(Request request) {
    OrgId org = org(request);
    MintedKey minted =
        manage.create(request.origin(), org, KeyRequest.parse(Members.of(request.json())));
    return Response.json(201, KeyShape.minted(minted));
  }

  private Response read(Request request) {
    Rights rights = Rights.of(request.caller());
    OrgId org = org(request);
    rights.demandUnbound();
    String keyId = request.pathParam("key_id");
    return Response.json(
        200, KeyShape.listed(keys.find(org, keyId).orElseThrow(() -> NotFoundProblems.key(keyId))));
  }

  private Response update(Request request) {
    ApiKey key =
        manage.update(
            request.origin(),
            org(request),
            request.pathParam("key_id"),
            KeyPatch.parse(Members.of(request.json())));
    return Response.json(200, KeyShape.listed(key));
  }

  private Response revoke(Request request) {
    String keyId = request.pathParam("key_id");
    var at = manage.revoke(request.origin(), org(request), keyId);
    return Response.json(
        200,
        JsonObject.builder()
            .put("ok", true)
            .put("key_id", keyId)
            .put("revoked_at", IsoInstant.millis(at))
            .build());
  }

  private Response rotate(Request request) {
    Members body = Members.of(request.hasBody() ? request.json() : JsonObject.EMPTY);
    long grace =
        body.only(Set.of("grace_seconds"))
            .whole("grace_seconds", 0, ManageKeys.MAX_GRACE.toSeconds())
            .orElse(0);
    ManageKeys.Rotated rotated =
        manage.rotate(
            request.origin(), org(request), request.pathParam("key_id"), Duration.ofSeconds(grace));
    return Response.json(
        201,
        KeyShape.minted(rotated.successor())
            .with(
                "previous",
                JsonObject.builder()
                    .put("key_id", rotated.oldKeyId())
                    .put("expires_at", IsoInstant.millis(rotated.oldExpiresAt()))
                    .build()));
  }

  private OrgId org(Request request) {
    return directory.within(Rights.of(request.caller()), request.pathParam("org_id"));
  }
}
