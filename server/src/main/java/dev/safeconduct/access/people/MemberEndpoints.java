package dev.safeconduct.access.people;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Rights;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code /api/orgs/{org_id}/members}: the members of an organization, for its managers. */
public final class MemberEndpoints {
  private static final String MEMBERS = "/api/orgs/{org_id}/members";
  private static final String MEMBER = MEMBERS + "/{account_id}";

  private final Memberships members;
  private final ManageMembers manage;
  private final Directory directory;

  public MemberEndpoints(Memberships members, ManageMembers manage, Directory directory) {
    this.members = members;
    this.manage = manage;
    this.directory = directory;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(MEMBERS, Permission.ADMINISTRATOR, this::list),
        Route.post(MEMBERS, Permission.ADMINISTRATOR, this::add),
        Route.patch(MEMBER, Permission.ADMINISTRATOR, this::change),
        Route.delete(MEMBER, Permission.ADMINISTRATOR, this::remove),
        Route.delete(MEMBER + "/second-factor", Permission.ADMINISTRATOR, this::resetSecondFactor));
  }

  private Response list(Request request) {
    OrgId org = org(request);
    ListPage page = ListPage.of(request);
    return page.answer(
        "members",
        members.list(org, page.after(), page.fetch()),
        listed -> listed.account().id(),
        MemberEndpoints::shape);
  }

  private Response add(Request request) {
    OrgId org = org(request);
    var body = Members.of(request.json()).only(Set.of("email", "role"));
    String text = body.text("email").orElseThrow(() -> body.missing("email"));
    EmailAddress email =
        EmailAddress.parse(text)
            .orElseThrow(() -> body.fault("email", "email must be an email address."));
    Role role = role(body).orElseThrow(() -> body.missing("role"));
    return Response.json(201, shape(manage.add(request.origin(), org, email, role)));
  }

  private Response change(Request request) {
    OrgId org = org(request);
    String accountId = request.pathParam("account_id");
    var body = Members.of(request.json()).only(Set.of("role", "operator"));
    Optional<Role> role = role(body);
    Optional<Boolean> operator = body.flag("operator");
    if (role.isEmpty() && !body.has("operator")) {
      throw body.missing("role");
    }
    return Response.json(
        200, shape(manage.change(request.origin(), org, accountId, role, operator)));
  }

  private Response remove(Request request) {
    OrgId org = org(request);
    String accountId = request.pathParam("account_id");
    manage.remove(request.origin(), org, accountId);
    return done(accountId);
  }

  private Response resetSecondFactor(Request request) {
    OrgId org = org(request);
    String accountId = request.pathParam("account_id");
    manage.resetSecondFactor(request.origin(), org, accountId);
    return done(accountId);
  }

  private static Response done(String accountId) {
    return Response.json(
        200, JsonObject.builder().put("ok", true).put("account_id", accountId).build());
  }

  private static Optional<Role> role(Members body) {
    return body.text("role")
        .map(text ->
            Role.parse(text)
                .orElseThrow(() ->
                    body.fault("role", "role must be one of owner, admin, member, auditor.")));
  }

  /** Shows only a person's address, because people can be added without their consent. */
  private static JsonObject shape(Memberships.Listed listed) {
    return JsonObject.builder()
        .put("account_id", listed.account().id())
        .put("email", listed.account().email().value())
        .put("role", listed.member().role().wire())
        .put("by_group", listed.byGroup())
        .put("since", IsoInstant.millis(listed.member().since()))
        .build();
  }

  private OrgId org(Request request) {
    return directory.within(Rights.of(request.caller()), request.pathParam("org_id"));
  }
}
