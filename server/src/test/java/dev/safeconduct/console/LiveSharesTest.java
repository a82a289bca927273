package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Issuing;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Live views of the console: no account and no organization takes all of a node's streams. */
final class LiveSharesTest {
  @AutoClose private static final TestService service = TestService.start();
  private static final String owner = ConsoleRig.owner(service);
  private final List<Socket> open = new ArrayList<>();

  /** Opens a live view and returns the status line and the head; the stream stays open. */
  private String watch(String cookie) throws IOException {
    return watch(cookie, "");
  }

  private String watch(String cookie, String query) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.base().getPort());
    open.add(socket);
    String head =
        "GET /console/live"
            + query
            + " HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nCookie: "
            + cookie
            + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    var in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    String status = in.readLine();
    if (status.contains(" 200 ")) {
      // The view counts as soon as the stream has begun.
      while (!in.readLine().startsWith("retry:")) {}
      return status;
    }
    return status;
  }

  private static String signIn(String email) {
    return Pages.cookies(service.login(email));
  }

  /** Has somebody claim a passport, and signs in. */
  private static String claimed(String email) {
    Issuing.issue(service, "Claimed", email);
    String link = service.letters().link(email, "/claim/");
    Reply claimed =
        Pages.submit(
            service.nobody(),
            link,
            service.nobody().get(link),
            Map.of("password", TestService.PASSWORD));
    assertThat(claimed.status()).isEqualTo(200);
    return signIn(email);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "policy_id=web.fetch.v1, 200",
    "policy_id=no.such.policy.v1, 400",
    "code=oap.command_not_allowed, 200",
    "code=oap.no_such_reason, 400",
    "allow=perhaps, 400",
  })
  void aListHasKnownFilters(String query, String status) throws IOException {
    String email = query.replaceAll("[^a-z]", "") + "@example.com";
    assertThat(watch(claimed(email), "?" + query)).contains(" " + status + " ");
  }

  @Test
  void anAccountHasFewListsWithFiltersOfTheirOwn() throws IOException {
    String cookie = claimed("lister@example.com");
    for (int i = 0; i < LiveDecisions.MOST_SOURCES; i++) {
      assertThat(watch(cookie, "?agent_id=ap_" + i)).as("list %s", i).contains(" 200 ");
    }
    assertThat(watch(cookie, "?agent_id=ap_more")).contains(" 429 ");
    assertThat(watch(cookie, "?agent_id=ap_1")).as("a list that is read already").contains(" 200 ");
  }

  @Test
  void anAccountLeavesViewsForOthers() throws IOException {
    String first = signIn(owner);
    for (int i = 0; i < 200; i++) {
      assertThat(watch(first)).as("view %s", i).contains(" 200 ");
    }
    assertThat(watch(first)).contains(" 429 ");
    // Another session of the same account has no share of its own.
    assertThat(watch(signIn(owner))).contains(" 429 ");
    assertThat(watch(claimed("claimer@example.com"))).contains(" 200 ");
  }
}
