package dev.safeconduct;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetupTest;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A claim link works once, wherever and however often it is posted at once. */
final class ClaimRaceTest {
  /** Both nodes have the claim open; one takes it. */
  @Test
  void oneOfTwoNodesSucceeds(@TempDir Path folder) throws MessagingException, IOException {
    var settings = new HashMap<>(IssueTest.UNLIMITED);
    settings.putAll(EachStore.POSTGRES.settings());
    var mail = new GreenMail(ServerSetupTest.SMTP.dynamicPort());
    mail.start();
    settings.put("SMTP_URL", "smtp://127.0.0.1:" + mail.getSmtp().getPort());
    settings.put("MAIL_FROM", "Safeconduct <safeconduct@example.com>");
    try (TestService one = TestService.start(folder.resolve("one"), settings);
        TestService two = TestService.start(folder.resolve("two"), settings)) {
      for (int round = 0; round < 10; round++) {
        String email = "both" + round + "@example.com";
        Reply issued = ClaimTest.issue(round % 2 == 0 ? one : two, "Both " + round, email);
        assertThat(mail.waitForIncomingEmail(20_000, round + 1)).isTrue();
        String link = Letters.path(text(mail.getReceivedMessages()[round]), "/claim/");
        Reply page = one.nobody().get(link);
        List<Integer> statuses =
            AtOnce.run(
                8,
                i ->
                    Pages.submit((i % 2 == 0 ? one : two).nobody(), link, page, Map.of()).status());
        assertThat(statuses).containsOnlyOnce(200).containsOnly(200, 410);
        assertThat(
                two
                    .admin()
                    .get("/api/passports/" + issued.string("agent_id") + "/history")
                    .json()
                    .array("history")
                    .orElseThrow()
                    .elements()
                    .stream()
                    .filter(each -> String.valueOf(each).contains("passport_claimed")))
            .hasSize(1);
      }
    } finally {
      mail.stop();
    }
  }

  private static String text(MimeMessage letter) throws MessagingException, IOException {
    return (String) ((MimeMultipart) letter.getContent()).getBodyPart(0).getContent();
  }
}
