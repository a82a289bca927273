package dev.safeconduct.simulate.suggest;

import static dev.safeconduct.simulate.suggest.SuggestTest.ask;
import static dev.safeconduct.simulate.suggest.SuggestTest.limits;
import static dev.safeconduct.simulate.suggest.SuggestTest.suggest;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Evidence in less common forms, and what a suggestion says of it. */
final class SuggestionDetailsTest {
  private static String issue(TestService service, String capabilities, String limits) {
    Reply made =
        service
            .owner()
            .post(
                "/api/passports",
                Calls.json(
                    "{'name': 'Agent', 'capabilities': [%s], 'limits': {%s}}"
                        .formatted(capabilities, limits)));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    return made.string("agent_id");
  }

  private static String runsCommands(TestService service, String allowed) {
    return issue(
        service,
        "'system.command.execute'",
        "'system.command.execute': {'allowed_commands': ['" + allowed + "']}");
  }

  /** A command is evidence under the other name that its pack gives it, too. */
  @Test
  void readsCommandsUnderTheirAlias() {
    try (TestService service = TestService.start()) {
      String apart = runsCommands(service, "git");
      ask(service, apart, "system.command.execute.v1", "'cmd': 'git', 'args': ['status']", true);
      String whole = runsCommands(service, "*");
      for (int i = 0; i < 4; i++) {
        ask(service, whole, "system.command.execute.v1", "'cmd': 'git status'", true);
      }
      for (String agent : List.of(apart, whole)) {
        assertThat(
                limits(suggest(service, agent), "system.command.execute").get("allowed_commands"))
            .isEqualTo(JsonArray.ofStrings(List.of("git status")));
      }
    }
  }
}
