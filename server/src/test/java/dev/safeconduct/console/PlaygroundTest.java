package dev.safeconduct.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The playground's link and the policies that it offers first. */
final class PlaygroundTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls operator = service.operator();

  private static Reply ask(String agent, String policy, String context) {
    return Pages.post(
        operator.with("Sec-Fetch-Site", "same-origin"),
        "/console/playground",
        Pages.form(
            operator.get("/api/auth/me").string("csrf_token"),
            Map.of("agent_id", agent, "policy_id", policy, "do", "json", "json", context)));
  }

  /** Addresses end up in the browser's history, in logs and in chats. */
  @Test
  void theLinkHasNoSecretAndSaysWhatItLacks() {
    String agent = ConsoleRig.agent(service, "Plays");
    String policy = "system.command.execute.v1";
    assertThat(ask(agent, policy, "{\"command\": \"git status\"}").text())
        .contains("&amp;context=%7B%22command%22%3A%22git%20status%22%7D\"")
        .doesNotContain("Links and records leave out");
    Reply secret =
        ask(
            agent,
            policy,
            "{\"command\": \"git clone https://me:hunter2secret@example.com/x\","
                + " \"cwd\": \"/srv/app\", \"of_nobody\": \"private words\"}");
    assertThat(secret.text())
        .contains("context=%7B%22cwd%22%3A%22%2Fsrv%2Fapp%22%7D\"")
        .contains("Links and records leave out: <bdi>command, of nobody</bdi>.")
        .doesNotContain("context=%7B%22command", "private%20words");
    assertThat(ask(agent, "no.such.policy.v1", "{\"password\": \"hunter2secret\"}").text())
        .doesNotContain("context=%7B");
  }

  @ParameterizedTest
  @CsvSource({
    "repo.merge, code.repository.merge.v1",
    "code.repository.merge, code.repository.merge.v1",
    "messaging.message.send, messaging.message.send.v1",
  })
  void policiesComeFirstIfTheAgentHoldsOneOfTheirCapabilities(String capability, String policy) {
    String agent =
        ConsoleRig.passport(
            service, "{'name': 'Holds', 'capabilities': [{'id': '%s'}]}".formatted(capability));
    String page = operator.get("/console/playground?agent_id=" + agent).text();
    int others = page.indexOf("Other policies");
    assertThat(page.indexOf("value=\"" + policy + "\"")).isBetween(0, others);
    assertThat(page.indexOf("value=\"system.command.execute.v1\"")).isGreaterThan(others);
  }
}
