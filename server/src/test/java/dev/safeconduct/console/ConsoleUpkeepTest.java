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
      String page =
          "/console/webhooks/" + added.text().replaceAll("(?s).*(wh_[0-9a-f]{32}).*", "$1");
      assertThat(person.get(page).text())
          .contains("Send test", "Receives approval.requested (teams) of all agents.");

      Reply sent = Pages.post(person, page + "/test", Pages.form(csrf, Map.of()));
      assertThat(sent.status()).isEqualTo(303);
      assertThat(new String(receiver.received().getFirst().body(), StandardCharsets.UTF_8))
          .contains("AdaptiveCard");
      Reply failed = Pages.post(person, page + "/test", Pages.form(csrf, Map.of()));
      assertThat(failed.text()).contains("The test failed: The receiver answered 503.");
    }
  }
}
