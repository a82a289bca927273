package dev.safeconduct.passport.issue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.Env;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Names, defaults and faults of the settings of issuing. */
final class IssueConfigTest {
  private static IssueConfig read(Map<String, String> variables) {
    var env = new Env(variables);
    IssueConfig config = IssueConfig.from(env);
    env.check();
    return config;
  }

  @Test
  void hasTheseDefaults() {
    assertThat(read(Map.of())).isEqualTo(new IssueConfig(true, true, Set.of(), 10, 3, 30));
  }

  @Test
  void readsTheseNames() {
    assertThat(
            read(
                Map.of(
                    "ISSUE_REQUIRE_EMAIL", "false",
                    "ISSUE_SETUP_KEYS", "false",
                    "ISSUE_MAX_CAPABILITIES", "web.fetch, payments.refund",
                    "RATE_ISSUE_PER_ADDRESS_PER_HOUR", "0",
                    "RATE_ISSUE_PER_EMAIL_PER_DAY", "7",
                    "ISSUE_UNCLAIMED_DAYS", "0")))
        .isEqualTo(
            new IssueConfig(false, false, Set.of("web.fetch", "finance.payment.refund"), 0, 7, 0));
  }

  @Test
  void namesEveryFault() {
    assertThatThrownBy(() ->
            read(
                Map.of(
                    "ISSUE_REQUIRE_EMAIL", "maybe",
                    "ISSUE_MAX_CAPABILITIES", "web.fetsch",
                    "ISSUE_UNCLAIMED_DAYS", "2",
                    "RATE_ISSUE_PER_ADDRESS_PER_HOUR", "-1")))
        .hasMessageContainingAll(
            "ISSUE_REQUIRE_EMAIL",
            "ISSUE_MAX_CAPABILITIES",
            "web.fetsch",
            "ISSUE_UNCLAIMED_DAYS",
            "RATE_ISSUE_PER_ADDRESS");
  }
}
