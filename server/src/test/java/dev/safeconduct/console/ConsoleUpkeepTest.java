package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What the console says of keys and webhooks that somebody looks after. */
final class ConsoleUpkeepTest {
  private final MovableClock clock = new MovableClock();

  @AutoClose
  private final TestService service = TestService.start(WebhookRig.open(Map.of()), clock);

  private final Calls person = service.operator();

  @Test
  void keysWithoutUseForNinetyDaysAreMarked() {
    assertThat(person.get("/console/keys").text()).contains("never").doesNotContain("unused for");
    clock.advance(Duration.ofDays(91));
    Calls later = service.signedIn(TestService.OPERATOR);

    assertThat(later.get("/console/keys").text()).contains("unused for 90 days");
  }

  @Test
  void thePassportShowsWhatIsUsedOfCountedLimits() {
    String agent =
        ConsoleRig.passport(
            service,
            """
            {'name': 'Sender', 'assurance_level': 'L0',
             'capabilities': [{'id': 'messaging.send'}, {'id': 'finance.payment.refund'}],
             'limits': {'messaging.send': {'msgs_per_min': 9, 'msgs_per_day': 5},
                        'finance.payment.refund': {
                          'currency_limits': {'EUR': {'daily_cap': 12345}}}}}
            """);
    String path = "/console/passports/" + agent;
    assertThat(person.get(path).text()).contains("0 of 9").contains("of the last minute");
    for (int i = 0; i < 4; i++) {
      service
          .owner()
          .post(
              "/api/verify/policy/messaging.message.send.v1",
              Calls.json(
                  """
                  {'context': {'agent_id': '%s', 'channel_id': 'team', 'message': 'Go',
                               'message_type': 'text'}}
                  """
                      .formatted(agent)));
    }
    assertThat(person.get(path).text())
        .contains("4 of 9", "4 of 5", "meter full")
        .contains("Daily cap, EUR", "0 EUR of 123.45 EUR", "resets at 00:00 UTC, in ");
    clock.advance(Duration.ofDays(2));
    assertThat(service.signedIn(TestService.OPERATOR).get(path).text()).contains("0 of 5");
  }

  /** A limit that is counted for each value shows the values of recent requests. */
  @Test
  void thePassportShowsWhatIsUsedForEachValue() {
    String agent =
        ConsoleRig.passport(
            service,
            """
            {'name': 'Greeter', 'assurance_level': 'L0',
             'capabilities': [{'id': 'agent.session.create'}],
             'limits': {'agent.session.create': {'max_sessions_per_user': 7}}}
            """);
    for (String user : List.of("ana", "ben", "ben")) {
      Reply asked =
          service
              .owner()
              .post(
                  "/api/verify/policy/agent.session.create.v1",
                  Calls.json(
                      """
                      {'agent_id': '%s', 'context': {'user_id': '%s', 'session_type': 'batch'}}
                      """
                          .formatted(agent, user)));
      assertThat(asked.json().isTrue("allow")).as(asked.toString()).isTrue();
    }
    assertThat(service.signedIn(TestService.OPERATOR).get("/console/passports/" + agent).text())
        .contains("Max sessions per user, ben", "2 of 7")
        .contains("Max sessions per user, ana", "1 of 7");
  }

  /** The deny, the passport and the form for a new one say that the level is too low. */
  @Test
  void theOperatorRaisesTheAssuranceLevel() {
    String agent =
        ConsoleRig.passport(service, "{'name': 'Merger', 'capabilities': [{'id': 'repo.merge'}]}");
    String merge = "/api/verify/policy/code.repository.merge.v1";
    String context = "{'context': {'agent_id': '" + agent + "'}}";
    assertThat(service.owner().post(merge, Calls.json(context)).text())
        .contains("oap.assurance_insufficient", "Only an operator can raise it");
    assertThat(person.get("/console/passports/new").text())
        .contains("Change a repository needs assurance level L2.");
    String path = "/console/passports/" + agent;
    Reply page = person.get(path);
    assertThat(page.text())
        .contains("Not usable at assurance level L0", "Change a repository needs");
    String form = path + "/assurance";
    Calls owner = service.member(service.org(), "owner-of-merger@example.com", "owner");
    Reply seen = owner.get(path);
    assertThat(seen.text()).contains("Not usable").doesNotContain(form);
    var fields = Map.of("assurance_level", "L2", "method", "contract", "evidence", "drawer 7");
    assertThat(Pages.post(owner, form, Pages.form(Pages.csrfToken(seen), fields)).status())
        .isEqualTo(403);
    String csrf = Pages.csrfToken(page);
    assertThat(Pages.post(person, form, Pages.form(csrf, Map.of("assurance_level", "L2"))).status())
        .isEqualTo(400);
    assertThat(Pages.post(person, form, Pages.form(csrf, fields)).status()).isEqualTo(303);
    assertThat(person.get(path).text()).contains("contract").doesNotContain("Not usable");
    assertThat(service.owner().post(merge, Calls.json(context)).text())
        .doesNotContain("oap.assurance_insufficient");
    assertThat(service.owner().get("/api/audit?kind=passport_updated&agent_id=" + agent).text())
        .contains("drawer 7", "\"assurance_level\":\"L2\"");
  }

  /** A pack takes any of its capabilities, by an alias too. */
  @Test
  void theLevelIsTooLowForAnAliasToo() {
    Reply made =
        service
            .owner()
            .post(
                "/api/passports",
                Calls.json("{'name': 'Alias', 'capabilities': [{'id': 'code.repository.merge'}]}"));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    assertThat(person.get("/console/passports/" + made.string("agent_id")).text())
        .contains("Not usable at assurance level L0", "Change a repository needs");
  }

  @Test
  void aTestIsSentFromTheWebhooksPage() {
    String csrf = person.get("/api/auth/me").string("csrf_token");
    try (ScriptedReceiver receiver =
        ScriptedReceiver.answering(
            "HTTP/1.1 204 X\r\n\r\n", "HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n")) {
      Reply added =
          Pages.post(
              person,
              "/console/webhooks",
              Pages.form(
                  csrf,
                  Map.of(
                      "url", receiver.url(), "format", "teams", "events", "approval.requested")));
      assertThat(added.status()).as(added.toString()).isEqualTo(200);
      assertThat(added.text()).contains("whsec_", "It is stored encrypted.");
      String page =
          "/console/webhooks/" + added.text().replaceAll("(?s).*(wh_[0-9a-f]{32}).*", "$1");
      assertThat(person.get(page).text())
          .contains("Send test", "Receives approval.requested (teams) of <bdi>all agents</bdi>.");

      Reply sent = Pages.post(person, page + "/test", Pages.form(csrf, Map.of()));
      assertThat(sent.status()).isEqualTo(303);
      assertThat(new String(receiver.received().getFirst().body(), StandardCharsets.UTF_8))
          .contains("AdaptiveCard");
      Reply failed = Pages.post(person, page + "/test", Pages.form(csrf, Map.of()));
      assertThat(failed.text()).contains("The test failed: The receiver answered 503.");
    }
  }
}
