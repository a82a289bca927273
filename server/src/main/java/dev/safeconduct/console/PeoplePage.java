package dev.safeconduct.console;

import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.JsonObject;
import java.util.Arrays;
import java.util.List;

/** The members of the organization, and for the operator the organizations. */
public final class PeoplePage {
  private static final String PEOPLE = "/console/people";
  private static final String ORGS = "/console/organizations";
  private static final int ROWS = 200;

  private final SignInPage signIn;

  PeoplePage(SignInPage signIn) {
    this.signIn = signIn;
  }

  List<Route> routes() {
    return List.of(
        signIn.page(PEOPLE, this::people),
        signIn.form(PEOPLE, this::add),
        signIn.form(PEOPLE + "/{account_id}/role", this::change),
        signIn.form(PEOPLE + "/{account_id}/remove", this::remove),
        signIn.page(ORGS, this::organizations),
        signIn.form(ORGS, this::create));
  }

  /** The members; {@code console/people.jte}. */
  public record People(
      Layout shell, String lead, List<Member> members, List<Means> roles, String curl) {
    public People {
      members = List.copyOf(members);
      roles = List.copyOf(roles);
    }
  }

  /** A member. */
  public record Member(String path, String email, String role, Formats.When since, boolean self) {}

  /** A role and its permissions. */
  public record Means(String wire, String text) {}

  private static String api(OpenPage page) {
    return "/api/orgs/" + Formats.url(page.org()) + "/members";
  }

  private Response people(OpenPage page) {
    List<Member> members =
        AnswerReader.objects(page.get(api(page) + "?limit=" + ROWS), "members").stream()
            .map(member ->
                new Member(
                    PEOPLE + "/" + Formats.url(AnswerReader.text(member, "account_id")),
                    AnswerReader.text(member, "email"),
                    AnswerReader.text(member, "role"),
                    Formats.when(AnswerReader.text(member, "since"), page.now()),
                    AnswerReader.text(member, "account_id").equals(page.accountId())))
            .toList();
    return page.show(
        "console/people.jte",
        "People",
        shell ->
            new People(
                shell,
                Formats.count(members.size(), "person has", "people have")
                    + " access to this organization.",
                members,
                Arrays.stream(Role.values())
                    .map(role -> new Means(role.wire(), means(role)))
                    .toList(),
                Curl.get(page, api(page))));
  }

  private static String means(Role role) {
    return switch (role) {
      case OWNER -> "full access, manages owners";
      case ADMIN -> "full access except owners";
      case MEMBER -> "passports and decisions; no keys, people or webhooks";
      case AUDITOR -> "read-only access";
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
    return OpenPage.done(PEOPLE, FlashMessage.MEMBER_ADDED);
  }

  private Response change(OpenPage page) {
    try {
      page.send(
          "PATCH",
          api(page) + "/" + Formats.url(page.request().pathParam("account_id")),
          JsonObject.builder().put("role", page.field("role").orElse("")).build());
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> people(page));
    }
    return OpenPage.done(PEOPLE, FlashMessage.MEMBER_CHANGED);
  }

  private Response remove(OpenPage page) {
    try {
      page.send(
          "DELETE",
          api(page) + "/" + Formats.url(page.request().pathParam("account_id")),
          JsonObject.EMPTY);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> people(page));
    }
    return OpenPage.done(PEOPLE, FlashMessage.MEMBER_REMOVED);
  }

  /** The organizations; {@code console/organizations.jte}. */
  public record Organizations(Layout shell, List<Org> orgs, String curl) {
    public Organizations {
      orgs = List.copyOf(orgs);
    }
  }

  /** An organization. */
  public record Org(String id, String name, Formats.When made) {}

  private Response organizations(OpenPage page) {
    List<Org> orgs =
        AnswerReader.objects(page.get("/api/orgs?limit=" + ROWS), "orgs").stream()
            .map(org ->
                new Org(
                    AnswerReader.text(org, "org_id"),
                    AnswerReader.text(org, "name"),
                    Formats.when(AnswerReader.text(org, "created_at"), page.now())))
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
    return OpenPage.done(ORGS, FlashMessage.ORG_CREATED);
  }
}
