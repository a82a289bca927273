package dev.safeconduct.console;

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
import java.util.Optional;
import java.util.function.Function;

/** The members of the organization, and for the operator the organizations. */
public final class PeoplePage {
  private static final String PEOPLE = "/console/people";
  private static final String ORGS = "/console/organizations";
  private static final int ROWS = 200;

  private final Function<String, Optional<String>> invitation;

  /**
   * @param invitation returns the link with which the person of an email address sets their first
   *     password; empty if they get it by email only
   */
  PeoplePage(Function<String, Optional<String>> invitation) {
    this.invitation = invitation;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(PEOPLE, this::people),
        signIn.form(PEOPLE, this::add, this::people),
        signIn.form(PEOPLE + "/{account_id}/role", this::change, this::people),
        signIn.form(PEOPLE + "/{account_id}/remove", this::remove, this::people),
        signIn.form(
            PEOPLE + "/{account_id}/reset-second-factor", this::resetSecondFactor, this::people),
        signIn.page(ORGS, this::organizations),
        signIn.form(ORGS, this::create, this::organizations),
        signIn.form(ORGS + "/rename", this::rename, this::organizations),
        signIn.form(ORGS + "/delete", this::delete, this::organizations));
  }

  /** The members; {@code console/people.jte}. */
  public record People(
      Layout shell,
      String lead,
      List<Member> members,
      List<Means> roles,
      String next,
      String curl) {}

  /**
   * A member.
   *
   * @param byGroup whether a group at the identity provider gives the role
   */
  public record Member(
      String path, String email, String role, boolean byGroup, Formats.When since, boolean self) {
    /** Returns the id of the account. */
    public String id() {
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }

  /** A role and its permissions. */
  public record Means(String wire, String text) {}

  private static String api(OpenPage page) {
    return "/api/orgs/" + Formats.url(page.org()) + "/members";
  }

  private Response people(OpenPage page) {
    JsonObject answer = page.get(api(page) + "?limit=" + ROWS + page.cursor());
    List<Member> members =
        answer.objects("members").stream()
            .map(member ->
                new Member(
                    PEOPLE + "/" + Formats.url(member.text("account_id")),
                    member.text("email"),
                    member.text("role"),
                    member.isTrue("by_group"),
                    page.when(member.text("since")),
                    member.text("account_id").equals(page.accountId())))
            .toList();
    return page.show(
        "console/people.jte",
        "People",
        shell ->
            new People(
                shell,
                Formats.count(members.size(), "person", "people")
                    + page.ofPage(answer)
                    + " with access to this organization.",
                members,
                Arrays.stream(Role.values())
                    .map(role -> new Means(role.wire(), means(role)))
                    .toList(),
                OpenPage.next(PEOPLE, answer),
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
    page.send(
        "POST",
        api(page),
        JsonObject.builder()
            .put("email", page.entered("email"))
            .put("role", page.entered("role"))
            .build());
    // The operator can read the email in the outbox too; nobody else may set that password.
    return Optional.of(page.entered("email"))
        .filter(_ -> page.isOperator())
        .flatMap(invitation)
        .map(link -> invited(page, link))
        .orElseGet(() -> OpenPage.done(PEOPLE, FlashMessage.MEMBER_ADDED));
  }

  private static Response invited(OpenPage page, String link) {
    return page.secret(
        "Invitation",
        "No mail server is set, so no email is sent. Give this link to "
            + page.entered("email")
            + " to set a password. It works once, for three days.",
        link,
        "",
        PEOPLE);
  }

  private Response change(OpenPage page) {
    page.send(
        "PATCH",
        api(page) + "/" + Formats.url(page.param("account_id")),
        JsonObject.of("role", page.entered("role")));
    return OpenPage.done(PEOPLE, FlashMessage.MEMBER_CHANGED);
  }

  private Response remove(OpenPage page) {
    page.send("DELETE", api(page) + "/" + Formats.url(page.param("account_id")), JsonObject.EMPTY);
    return OpenPage.done(PEOPLE, FlashMessage.MEMBER_REMOVED);
  }

  private Response resetSecondFactor(OpenPage page) {
    page.send(
        "DELETE",
        api(page) + "/" + Formats.url(page.param("account_id")) + "/second-factor",
        JsonObject.EMPTY);
    return OpenPage.done(PEOPLE, FlashMessage.FACTOR_RESET);
  }

  /** The organizations; {@code console/organizations.jte}. */
  public record Organizations(
      Layout shell, String lead, List<Org> orgs, String next, String curl) {}

  /** An organization. */
  public record Org(String id, String name, Formats.When made) {}

  private Response organizations(OpenPage page) {
    JsonObject answer = page.get("/api/orgs?limit=" + ROWS + page.cursor());
    List<Org> orgs =
        answer.objects("orgs").stream()
            .map(org ->
                new Org(org.text("org_id"), org.text("name"), page.when(org.text("created_at"))))
            .toList();
    return page.show(
        "console/organizations.jte",
        "Organizations",
        shell ->
            new Organizations(
                shell,
                Formats.count(orgs.size(), "organization", "organizations")
                    + (page.ofPage(answer).isEmpty() ? " on this service" : " on this page")
                    + ". Each sees only its own data.",
                orgs,
                OpenPage.next(ORGS, answer),
                Curl.get(page, "/api/orgs")));
  }

  private Response create(OpenPage page) {
    page.send("POST", "/api/orgs", JsonObject.of("name", page.entered("name")));
    return OpenPage.done(ORGS, FlashMessage.ORG_CREATED);
  }

  private Response rename(OpenPage page) {
    page.demand("POST", "/api/orgs");
    page.asOperator("PATCH", chosen(page), JsonObject.of("name", page.entered("name")));
    return OpenPage.done(ORGS, FlashMessage.ORG_RENAMED);
  }

  /** The API compares what was typed with the organization's name. */
  private Response delete(OpenPage page) {
    page.demand("POST", "/api/orgs");
    page.asOperator(
        "DELETE",
        chosen(page)
            + "?confirm="
            + Formats.url(page.entered("confirm"))
            + "&reason="
            + Formats.url(page.entered("reason")));
    return OpenPage.done(ORGS, FlashMessage.ORG_DELETED);
  }

  private static String chosen(OpenPage page) {
    return "/api/orgs/"
        + Formats.url(
            page.field("org_id")
                .orElseThrow(() -> ProblemException.invalid("org_id", "Choose an organization.")));
  }
}
