package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.ProblemException;
import java.util.Arrays;
import java.util.List;

/** The people of the organization, and for the operator the organizations. */
public final class PeoplePage {
  private static final String PEOPLE = "/console/people";
  private static final String ORGS = "/console/organizations";
  private static final int ROWS = 200;

  private final DoorPage door;

  PeoplePage(DoorPage door) {
    this.door = door;
  }

  List<Route> routes() {
    return List.of(
        door.page(PEOPLE, this::people),
        door.form(PEOPLE, this::add),
        door.form(PEOPLE + "/{account_id}/role", this::change),
        door.form(PEOPLE + "/{account_id}/remove", this::remove),
        door.page(ORGS, this::organizations),
        door.form(ORGS, this::create));
  }

  /** The people; {@code console/people.jte}. */
  public record People(
      Shell shell, String lead, List<Member> members, List<Means> roles, String curl) {
    public People {
      members = List.copyOf(members);
      roles = List.copyOf(roles);
    }
  }

  /** A member. */
  public record Member(String path, String email, String role, Show.When since, boolean self) {}

  /** A role and what it may. */
  public record Means(String wire, String text) {}

  private static String api(OpenPage page) {
    return "/api/orgs/" + Show.url(page.org()) + "/members";
  }

  private Response people(OpenPage page) {
    List<Member> members =
        Read.objects(page.get(api(page) + "?limit=" + ROWS), "members").stream()
            .map(member ->
                new Member(
                    PEOPLE + "/" + Show.url(Read.text(member, "account_id")),
                    Read.text(member, "email"),
                    Read.text(member, "role"),
                    Show.when(Read.text(member, "since"), page.now()),
                    Read.text(member, "account_id").equals(page.accountId())))
            .toList();
    return page.show(
        "console/people.jte",
        "People",
        shell ->
            new People(
                shell,
                Show.count(members.size(), "person looks", "people look") + " after these agents.",
                members,
                Arrays.stream(Role.values())
                    .map(role -> new Means(role.wire(), means(role)))
                    .toList(),
                Curl.get(page, api(page))));
  }

  private static String means(Role role) {
    return switch (role) {
      case OWNER -> "everything, and who else is an owner";
      case ADMIN -> "everything but owners";
      case MEMBER -> "passports and decisions; no keys, people or webhooks";
      case AUDITOR -> "reads, changes nothing";
    };
  }

  private Response add(OpenPage page) {
    try {
      page.send(
          "POST",
          api(page),
          JsonObject.builder()
              .put("email", page.field("email").orElse(""))
              .put("role", page.field("role").orElse(""))
              .build());
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> people(page));
    }
    return OpenPage.done(PEOPLE, Done.MEMBER_ADDED);
  }

  private Response change(OpenPage page) {
    try {
      page.send(
          "PATCH",
          api(page) + "/" + Show.url(page.request().pathParam("account_id")),
          JsonObject.builder().put("role", page.field("role").orElse("")).build());
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> people(page));
    }
    return OpenPage.done(PEOPLE, Done.MEMBER_CHANGED);
  }

  private Response remove(OpenPage page) {
    try {
      page.send(
          "DELETE",
          api(page) + "/" + Show.url(page.request().pathParam("account_id")),
          JsonObject.EMPTY);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> people(page));
    }
    return OpenPage.done(PEOPLE, Done.MEMBER_REMOVED);
  }

  /** The organizations; {@code console/organizations.jte}. */
  public record Organizations(Shell shell, List<Org> orgs, String curl) {
    public Organizations {
      orgs = List.copyOf(orgs);
    }
  }

  /** An organization. */
  public record Org(String id, String name, Show.When made) {}

  private Response organizations(OpenPage page) {
    List<Org> orgs =
        Read.objects(page.get("/api/orgs?limit=" + ROWS), "orgs").stream()
            .map(org ->
                new Org(
                    Read.text(org, "org_id"),
                    Read.text(org, "name"),
                    Show.when(Read.text(org, "created_at"), page.now())))
            .toList();
    return page.show(
        "console/organizations.jte",
        "Organizations",
        shell -> new Organizations(shell, orgs, Curl.get(page, "/api/orgs")));
  }

  private Response create(OpenPage page) {
    try {
      page.send(
          "POST",
          "/api/orgs",
          JsonObject.builder().put("name", page.field("name").orElse("")).build());
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> organizations(page));
    }
    return OpenPage.done(ORGS, Done.ORG_CREATED);
  }
}
