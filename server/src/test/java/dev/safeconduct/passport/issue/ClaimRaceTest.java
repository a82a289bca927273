package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetupTest;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ServerProcess;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A claim link works once, wherever and however often it is posted at once. */
@Tag("slow")
final class ClaimRaceTest {
  /** Two processes on one database have the claim open; one of them takes it. */
  @Test
  void oneOfTwoNodesSucceeds(@TempDir Path folder) throws MessagingException, IOException {
    var settings = new HashMap<>(Issuing.UNLIMITED);
    settings.putAll(EachStore.POSTGRES.settings());
    var mail = new GreenMail(ServerSetupTest.SMTP.dynamicPort());
    mail.start();
    settings.put("SMTP_URL", "smtp://127.0.0.1:" + mail.getSmtp().getPort());
    settings.put("MAIL_FROM", "Safeconduct <safeconduct@example.com>");
    try (ServerProcess one = new ServerProcess(folder.resolve("one"), settings);
        ServerProcess two = new ServerProcess(folder.resolve("two"), settings);
        HttpClient client = HttpClient.newHttpClient()) {
      one.awaitAnswering();
      two.awaitAnswering();
      List<Calls> nodes = List.of(one.nobody(client), two.nobody(client));
      for (int round = 0; round < 10; round++) {
        String email = "both" + round + "@example.com";
        Reply issued = Issuing.issue(nodes.get(round % 2), "Both " + round, email);
        assertThat(mail.waitForIncomingEmail(20_000, round + 1)).isTrue();
        String link = Letters.path(text(mail.getReceivedMessages()[round]), "/claim/");
        Reply page = nodes.getFirst().get(link);
        List<Integer> statuses =
            AtOnce.run(8, i -> Pages.submit(nodes.get(i % 2), link, page, Map.of()).status());
        assertThat(statuses).containsOnlyOnce(200).containsOnly(200, 410);
        assertThat(
                two
                    .admin(client)
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
