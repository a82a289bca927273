package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.mail.WrittenEmail;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page says is true, and leads on. */
final class ConsoleWordingTest {
  @AutoClose private static final TestService service = TestService.start(Issuing.UNLIMITED);

  private static final Calls operator = service.operator();

  /** Only the admin token, and a session, may call what these pages show. */
  @ParameterizedTest
  @ValueSource(strings = {"/console/people", "/console/organizations"})
  void theCommandOfAPageForPeopleHasTheAdminToken(String path) {
    Reply page = operator.get(path);
    assertThat(page.status()).as(page.toString()).isEqualTo(200);
    assertThat(page.text()).contains("Bearer $ADMIN_TOKEN").doesNotContain("X-API-Key");
  }

  @Test
  void otherCommandsHaveAKey() {
    assertThat(operator.get("/console/passports").text())
        .contains("X-API-Key: $SAFECONDUCT_KEY")
        .doesNotContain("$ADMIN_TOKEN");
  }

  @Test
  void theOutboxSaysThatNothingIsSentAndShowsWhatWasWritten() {
    Issuing.issue(service, "Written about", "written@example.com");
    service.letters().await("written@example.com", 1);
    Reply page = operator.get("/console/outbox");
    assertThat(page.text())
        .contains(
            "No mail server is set (SMTP_URL), so emails are not sent.",
            "No emails waiting.",
            "written@example.com",
            "Written about",
            "/claim/");
  }

  @Test
  void theOutboxOfAServiceWithAMailServerListsWhatWaits() {
    var settings = new HashMap<>(Issuing.UNLIMITED);
    settings.putAll(Map.of("SMTP_URL", "smtp://127.0.0.1:1", "MAIL_FROM", "agents@example.com"));
    try (TestService mailing = TestService.start(settings)) {
      Reply page = mailing.operator().get("/console/outbox");
      assertThat(page.text()).contains("No emails waiting.").doesNotContain("No mail server");
    }
  }

  @Test
  void aClaimLeadsToThePassport() {
    Reply issued = Issuing.issue(service, "Claimed", "claimer@example.com");
    String link = service.letters().link("claimer@example.com", "/claim/");
    Reply claimed =
        Pages.submit(
            service.nobody(),
            link,
            service.nobody().get(link),
            Map.of("password", TestService.PASSWORD));
    assertThat(claimed.text())
        .contains("/console/passports/" + issued.string("agent_id"), "/console/sign-in\"");
  }

  @Test
  void requestsWithoutAStreamLeaveNoLiveViewOpen() {
    for (int i = 0; i <= 1_000; i++) {
      assertThat(operator.send("HEAD", "/console/live", "").status()).as("%s", i).isEqualTo(200);
    }
  }

  @Test
  void theFirstPageLeadsToTheConsole() {
    assertThat(service.nobody().get("/").text()).contains("href=\"/console\"");
  }

  @Test
  void theOutboxFolderNeedNotExist() {
    assertThat(WrittenEmail.newest(Path.of("target", "no-such-folder"), 3)).isEmpty();
  }
}
