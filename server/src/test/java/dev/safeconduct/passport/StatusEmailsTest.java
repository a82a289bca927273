package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Questions.Tenant;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Owners get an email when the status of their passports changes. */
final class StatusEmailsTest {
  private static void change(Calls admin, String filter, String status) {
    change(admin, filter, status, "");
  }

  private static void change(Calls admin, String filter, String status, String more) {
    Reply reply =
        admin.post(
            "/api/admin/status/bulk",
            Calls.json(
                "{'filter': {%s}, 'status': '%s', 'reason': 'a drill'%s}"
                    .formatted(filter, status, more)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }

  @Test
  void eachOwnerGetsOneEmailAboutARequest() {
    try (TestService node = TestService.start()) {
      String email = "owner@example.com";
      Tenant ours = Tenant.made(node, "Ours", "'read'");
      Tenant theirs = Tenant.made(node, "Theirs", "'read'");
      Calls _ = node.member(ours.org(), email, "owner");
      String both = "{\"email\": \"" + email + "\", \"role\": \"owner\"}";
      assertThat(node.admin().post("/api/orgs/" + theirs.org() + "/members", both).status())
          .isEqualTo(201);
      int letters = node.letters().await(email, 2).size();
      String one = agent(node, ours);
      String two = agent(node, theirs);
      String filter = "'agent_ids': ['" + one + "', '" + two + "']";
      change(node.admin(), filter, "suspended", ", 'dry_run': true");
      change(node.admin(), filter, "suspended");
      assertThat(node.letters().await(email, letters + 1).getLast())
          .contains("2 passports are suspended", "Every request is denied");
      change(node.admin(), filter, "suspended"); // changes nothing
      Questions.status(node, two, "active");
      assertThat(node.letters().await(email, letters + 2).getLast())
          .contains("is active", "Its rules decide again", "/console/passports/" + two);
      Questions.status(node, two, "suspended");
      assertThat(node.letters().await(email, letters + 3)).hasSize(letters + 3);
      change(node.admin(), filter, "active");
      assertThat(String.join("", node.letters().await(email, letters + 4)))
          .contains("2 passports are active", "Their rules decide again");
      String status = "{\"status\": \"suspended\"}";
      assertThat(node.admin().patch("/api/passports/" + one, status).status()).isEqualTo(200);
      assertThat(node.letters().await(email, letters + 5).getLast()).contains("is suspended");
    }
  }

  /** Whoever has a key with the scope status must not fill a mailbox. */
  @Test
  void aPassportThatIsToggledSendsFewEmails() {
    try (TestService node = TestService.start()) {
      String email = "owner@example.com";
      Tenant ours = Tenant.made(node, "Ours", "'read'");
      Calls _ = node.member(ours.org(), email, "owner");
      int letters = node.letters().await(email, 1).size();
      String one = agent(node, ours);
      String two = agent(node, ours);
      for (int i = 0; i < 70; i++) {
        Questions.status(node, one, i % 2 == 0 ? "suspended" : "active");
        List<String> _ = node.letters().await(email, letters + Math.min(i + 1, 6));
      }
      Questions.status(node, two, "suspended");
      List<String> sent = node.letters().await(email, letters + 7);
      assertThat(sent).hasSize(letters + 7);
      assertThat(sent.get(letters + 5)).contains("changes so often");
      assertThat(sent.getLast()).contains(two);
    }
  }

  /** A plan changes nothing, and an apply is one request. */
  @Test
  void filesThatRemovePassportsSendOneEmail() {
    try (TestService node = TestService.start()) {
      String email = "owner@example.com";
      Tenant ours = Tenant.made(node, "Ours", "'read'");
      Calls _ = node.member(ours.org(), email, "owner");
      String one = Questions.freshAgent();
      String other = "{'kind': 'Passport', 'slug': 'b', 'name': 'B'}";
      String both =
          "{'kind': 'Passport', 'slug': 'a', 'name': 'A', 'agent_id': '%s'}, ".formatted(one)
              + other;
      files(node, ours, "apply", both);
      int letters = node.letters().await(email, 1).size();
      for (int i = 0; i < 7; i++) {
        files(node, ours, "plan", other);
      }
      Questions.status(node, one, "suspended");
      assertThat(node.letters().await(email, letters + 1).getLast()).contains("is suspended");
      Questions.status(node, one, "active");
      List<String> _ = node.letters().await(email, letters + 2);
      files(node, ours, "apply", "");
      assertThat(node.letters().await(email, letters + 3).getLast())
          .contains("2 passports are suspended");
      Questions.status(node, one, "active");
      assertThat(node.letters().await(email, letters + 4)).hasSize(letters + 4);
    }
  }

  private static Reply files(TestService node, Tenant of, String verb, String resources) {
    Reply reply =
        node.admin()
            .post(
                "/api/" + verb,
                Calls.json(
                    "{'organization': '%s', 'owner': 'files', 'prune': true, 'resources': [%s]}"
                        .formatted(of.org(), resources)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  private static String agent(TestService node, Tenant of) {
    return Questions.hosted(node, of.org(), Questions.passport(Questions.freshAgent(), 1_000_000));
  }
}
