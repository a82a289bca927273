package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Chromium;
import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Issuing and claiming may have a host name of their own on the same server. */
final class IssueAddressTest {
  @Test
  void aPassportIsIssuedAndClaimedThere() throws IOException {
    int port = ServerProcess.freePort();
    String issueUrl = "http://localhost:" + port;
    Map<String, String> settings =
        Map.of(
            "PORT",
            Integer.toString(port),
            "BASE_URL",
            "http://127.0.0.1:" + port,
            "ISSUE_URL",
            issueUrl);
    try (TestService service = TestService.start(settings);
        HttpClient client = HttpClient.newHttpClient();
        Chromium.Profile profile = Chromium.profile()) {
      Calls there = new Calls(client, URI.create(issueUrl + "/"));
      Reply issued = Issuing.issue(there, "Elsewhere", "elsewhere@example.com");
      Matcher link =
          Pattern.compile(Pattern.quote(issueUrl) + "/claim/[A-Za-z0-9_-]+")
              .matcher(service.letters().await("elsewhere@example.com", 1).getLast());
      assertThat(link.find()).isTrue();
      Page page = profile.page();
      page.navigate(link.group());
      page.locator("input[type=password]").fill(TestService.PASSWORD);
      page.getByText("Yes, it is mine").click();
      page.waitForLoadState();
      assertThat(page.content()).contains("Elsewhere");
      assertThat(
              service
                  .nobody()
                  .get("/api/verify/" + issued.string("agent_id"))
                  .json()
                  .isTrue("claimed"))
          .isTrue();
      assertThat(issued.string("passport_url")).startsWith("http://127.0.0.1:" + port + "/");
    }
  }
}
