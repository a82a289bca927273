package dev.safeconduct.access;

import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** {@code /api/admin/tokens}: operators' tokens; for the admin token and operators. */
public final class OperatorTokenEndpoints {
  private static final String TOKENS = "/api/admin/tokens";
  private static final int MAX_NAME = 100;
  private static final int MAX_RIGHTS = 10;

  /** In the place of an id: the admin token of the first start. */
  private static final String ADMIN = "admin";

  private final OperatorTokens tokens;
  private final ManageTokens manage;
  private final Directory directory;
  private final Function<Rights, OrgId> log;

  /**
   * @param log the organization in whose log the caller's changes are recorded
   */
  public OperatorTokenEndpoints(
      OperatorTokens tokens,
      ManageTokens manage,
      Directory directory,
      Function<Rights, OrgId> log) {
    this.tokens = tokens;
    this.manage = manage;
    this.directory = directory;
    this.log = log;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(TOKENS, Permission.ADMIN_ONLY, this::list),
        Route.post(TOKENS, Permission.ADMIN_ONLY, this::create),
        Route.delete(TOKENS + "/{token_id}", Permission.ADMIN_ONLY, this::revoke));
  }

  private Response list(Request request) {
    ListPage page = ListPage.of(request);
    return page.answer(
        "tokens",
        tokens.list(page.after(), page.fetch()),
        OperatorToken::id,
        token -> shape(token).build());
  }

  private Response create(Request request) {
    Rights rights = Rights.of(request.caller());
    var body =
        Members.of(request.json()).only(Set.of("name", "role", "org_id", "may", "expires_at"));
    String name = body.requiredLine("name", MAX_NAME);
    OperatorToken.Role role =
        OperatorToken.Role.parse(body.text("role").orElseThrow(() -> body.missing("role")))
            .orElseThrow(
                () -> body.fault("role", "role must be one of operator, read_only, deploy."));
    Optional<OrgId> org = body.text("org_id").map(text -> directory.within(rights, text));
    if (role == OperatorToken.Role.DEPLOY && org.isEmpty()) {
      throw body.fault("org_id", "org_id is missing: a deploy token is for one organization.");
    }
    if (role != OperatorToken.Role.DEPLOY && org.isPresent()) {
      throw body.fault(
          "org_id",
          "org_id is for the role deploy; a token with the role "
              + role.wire()
              + " is for all organizations.");
    }
    Set<DeployRight> may = rights(body);
    if (role != OperatorToken.Role.DEPLOY && !may.isEmpty()) {
      throw body.fault("may", "may is for the role deploy.");
    }
    ManageTokens.Made made =
        manage.create(
            request.origin(),
            org.orElseGet(() -> log.apply(rights)),
            new ManageTokens.Wish(
                name, new OperatorToken.Access(role, org, may), body.instant("expires_at")));
    return Response.json(201, shape(made.token()).put("token", made.text()).build());
  }

  private static Set<DeployRight> rights(Members body) {
    var may = EnumSet.noneOf(DeployRight.class);
    for (String name : body.lines("may", MAX_RIGHTS, MAX_NAME).orElse(List.of())) {
      may.add(
          DeployRight.parse(name)
              .orElseThrow(
                  () -> body.fault("may", "may must list some of webhooks, retention, withdraw.")));
    }
    return may;
  }

  private Response revoke(Request request) {
    String id = request.pathParam("token_id");
    OrgId org = log.apply(Rights.of(request.caller()));
    Instant at =
        id.equals(ADMIN)
            ? manage.retireAdmin(request.origin(), org)
            : manage.revoke(request.origin(), org, id);
    return Response.json(
        200,
        JsonObject.builder()
            .put("ok", true)
            .put("token_id", id)
            .put("revoked_at", IsoInstant.millis(at))
            .build());
  }

  private static JsonObject.Builder shape(OperatorToken token) {
    JsonObject.Builder shape =
        JsonObject.builder()
            .put("token_id", token.id())
            .put("name", token.name())
            .put("role", token.role().wire())
            .put("hint", token.hint())
            .put("created_by", token.createdBy())
            .put("created_at", IsoInstant.millis(token.times().createdAt()));
    token.org().ifPresent(org -> shape.put("org_id", org.value()));
    if (token.role() == OperatorToken.Role.DEPLOY) {
      shape.put(
          "may",
          JsonArray.ofStrings(token.may().stream().sorted().map(DeployRight::wire).toList()));
    }
    token.times().expiresAt().ifPresent(at -> shape.put("expires_at", IsoInstant.millis(at)));
    token.times().revokedAt().ifPresent(at -> shape.put("revoked_at", IsoInstant.millis(at)));
    token.times().lastUsedAt().ifPresent(at -> shape.put("last_used_at", IsoInstant.millis(at)));
    return shape;
  }
}
