package dev.safeconduct.access.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two requests at once about one session or one member: neither slips by the other. */
@Timeout(120)
final class SessionRacesTest {
  private static final int ROUNDS = 30;

  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  private static int people;

  private static String members(TestService service) {
    return "/api/orgs/" + service.org() + "/members";
  }

  private static String added(TestService service, String role) {
    Reply added =
        service
            .admin()
            .post(
                members(service),
                "{\"email\": \"racer-" + people++ + "@example.com\", \"role\": \"" + role + "\"}");
    assertThat(added.status()).as(added.toString()).isEqualTo(201);
    return members(service) + "/" + added.string("account_id");
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void pagesThatRefreshAtOnceAllStaySignedIn(EachStore store) {
    TestService service = services.on(store);
    Calls person = service.member(service.org(), "pages@example.com", "member");
    for (int i = 0; i < 5; i++) {
      Calls before = person;
      List<Reply> replies = AtOnce.run(4, _ -> before.post("/api/auth/refresh", "{}"));
      assertThat(replies).extracting(Reply::status).containsOnly(200);
      List<Reply> exchanged =
          replies.stream()
              .filter(reply -> Pages.cookies(reply).contains("safeconduct_refresh"))
              .toList();
      assertThat(exchanged).as("one page gets the next refresh cookie").hasSize(1);
      person = person.with("Cookie", Pages.cookies(exchanged.getFirst()));
    }
  }

  /** Anybody's address can be added, so what is done there must not sign them out elsewhere. */
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void anotherOrganizationDoesNotEndSessionsHere(EachStore store) {
    TestService service = services.on(store);
    Calls person = service.member(service.org(), "here@example.com", "member");
    String other = service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    Calls stranger = service.member(other, "stranger@example.com", "owner");
    String members = "/api/orgs/" + other + "/members";
    String added =
        stranger
            .post(members, "{\"email\": \"here@example.com\", \"role\": \"auditor\"}")
            .string("account_id");
    String member = members + "/" + added;
    assertThat(stranger.patch(member, "{\"role\": \"member\"}").status()).isEqualTo(200);
    assertThat(person.get("/api/auth/me").status()).as("role changed").isEqualTo(200);
    assertThat(stranger.delete(member).status()).isEqualTo(200);
    assertThat(person.get("/api/auth/me").status()).as("removed").isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void aMemberWhoIsRemovedWhileTheyChangeIsNoFault(EachStore store) {
    TestService service = services.on(store);
    for (int i = 0; i < ROUNDS; i++) {
      String member = added(service, "member");
      List<Reply> replies =
          AtOnce.run(
              2,
              n ->
                  n == 0
                      ? service.admin().patch(member, "{\"role\": \"auditor\"}")
                      : service.admin().delete(member));
      assertThat(replies.getFirst().status()).as(replies.toString()).isIn(200, 404);
      assertThat(replies.getLast().status()).as(replies.toString()).isEqualTo(200);
    }
  }

  /** Either the removal came first, and nobody is left to be changed, or it is refused. */
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void anAdminDoesNotTouchSomebodyJustMadeAnOwner(EachStore store) {
    TestService service = services.on(store);
    Calls admin = service.member(service.org(), "admin@example.com", "admin");
    for (int i = 0; i < ROUNDS; i++) {
      String member = added(service, "admin");
      List<Reply> replies =
          AtOnce.run(
              2,
              n ->
                  n == 0
                      ? service.admin().patch(member, "{\"role\": \"owner\"}")
                      : admin.delete(member));
      assertThat(replies)
          .as("made an owner, and removed by an admin")
          .extracting(Reply::status)
          .isNotEqualTo(List.of(200, 200));
      assertThat(replies.getLast().status()).as(replies.toString()).isIn(200, 403);
      assertThat(replies.getFirst().status()).as(replies.toString()).isIn(200, 404);
    }
  }
}
