package dev.safeconduct.access.people;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.GreenMailUtil;
import com.icegreen.greenmail.util.ServerSetupTest;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes on one PostgreSQL know the same people, and what ends a session on one ends it on both.
 */
final class PeopleOnTwoNodesTest {
  @Tag("timing")
  @Test
  void aSessionIsGoodOnBothNodesAndEndsOnBoth(@TempDir Path folder) {
    var mail = new GreenMail(ServerSetupTest.SMTP.dynamicPort());
    mail.start();
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL", PostgresServer.shared().freshDatabase(),
            "SAFECONDUCT_MASTER_KEY", "the-master-key-of-both-of-the-nodes",
            "SMTP_URL", "smtp://127.0.0.1:" + mail.getSmtp().getPort(),
            "MAIL_FROM", "safeconduct@example.com",
            // One address for both, as behind a balancer.
            "BASE_URL", "http://safeconduct.example.com");
    try (TestService one = TestService.start(folder.resolve("one"), settings);
        TestService two = TestService.start(folder.resolve("two"), settings)) {
      Calls owner = one.operator();
      String members = "/api/orgs/" + one.org() + "/members";
      assertThat(owner.get(members).json().array("members").orElseThrow()).hasSize(1);
      assertThat(two.firstOwnerIsMade()).as("one node makes the owner").isFalse();

      String id =
          owner
              .post(members, "{\"email\": \"ann@example.com\", \"role\": \"admin\"}")
              .string("account_id");
      assertThat(mail.waitForIncomingEmail(20_000, 1)).isTrue();
      String link =
          Letters.path(GreenMailUtil.getBody(mail.getReceivedMessages()[0]), "/password/");
      two.setPassword(link, "ann@example.com");
      Calls onTwo = two.signedIn("ann@example.com");
      assertThat(onTwo.get("/api/auth/me").string("role")).isEqualTo("admin");
      assertThat(owner.patch(members + "/" + id, "{\"role\": \"auditor\"}").status())
          .isEqualTo(200);
      long deadline = System.nanoTime() + WallClock.limit(Duration.ofSeconds(5)).toNanos();
      int status = 200;
      while (status == 200 && System.nanoTime() < deadline) {
        status = onTwo.get("/api/auth/me").status();
      }
      assertThat(status).isEqualTo(401);
      Calls again = two.signedIn("ann@example.com");
      assertThat(again.get(members).status()).isEqualTo(403);
      assertThat(owner.delete(members + "/" + id).status()).isEqualTo(200);
      String self = owner.get("/api/auth/me").string("account_id");
      assertThat(owner.delete(members + "/" + self).status()).as("the last owner").isEqualTo(409);
      assertThat(owner.patch(members + "/" + self, "{\"role\": \"member\"}").status())
          .isEqualTo(409);
    } finally {
      mail.stop();
    }
  }
}
