package dev.safeconduct;

import static dev.safeconduct.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Reply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Many race for the last units of a cap: exactly as many as there are get one. */
final class CapRaceTest {
  private static final int CALLERS = 64;

  private static final Map<String, String> DATABASE =
      Map.of(
          "DATABASE_URL",
          PostgresServer.shared().freshDatabase(),
          "SAFECONDUCT_MASTER_KEY",
          "a master key of the tests, long enough");

  @Test
  void onOneNode() {
    try (TestService service = TestService.start()) {
      for (int cap : new int[] {1, 7, CALLERS - 1, CALLERS + 1}) {
        String agent = Questions.hosted(service, cap);
        assertThat(allowed(List.of(service), service.key(), Questions.message(agent)))
            .isEqualTo(Math.min(cap, CALLERS));
      }
    }
  }

  /** What is sent along has its own caps, and they are as exact. */
  @Test
  void ofAPassportNobodyHosts() {
    try (TestService service = TestService.start()) {
      JsonObject question =
          Questions.message("ap_sent").with("passport", Questions.passport("ap_sent", 9));
      assertThat(allowed(List.of(service), service.key(), question)).isEqualTo(9);
      // Another organization's agent of the same name has a cap of its own.
      Questions.Tenant tenant = Questions.Tenant.made(service, "Other", "'read'");
      assertThat(allowed(List.of(service), tenant.key(), question)).isEqualTo(9);
    }
  }

  @Test
  void onTwoNodes() {
    try (TestService one = TestService.start(DATABASE);
        TestService two = TestService.start(DATABASE)) {
      for (int cap : new int[] {1, 13, CALLERS - 1}) {
        String agent = Questions.hosted(one, cap);
        assertThat(allowed(List.of(one, two), one.key(), Questions.message(agent))).isEqualTo(cap);
      }
    }
  }

  private static long allowed(List<TestService> nodes, String key, JsonObject question) {
    List<Reply> replies =
        AtOnce.run(CALLERS, i -> nodes.get(i % nodes.size()).withKey(key).post(MESSAGE, question));
    for (Reply reply : replies) {
      assertThat(Questions.code(reply)).isIn("oap.allowed", "oap.rate_limit_exceeded");
    }
    return replies.stream().filter(reply -> reply.json().isTrue("allow")).count();
  }
}
