package dev.safeconduct.hook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.ShellRun;
import dev.safeconduct.cli.ShellRun.PosixShell;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code bin/safeconduct-hook} gives each agent what the running service answers. */
final class HookProgramAnswersTest {
  private static final int CASES_EACH = 6;

  @AutoClose private static final TestService service = TestService.start();

  private static final String agent =
      service
          .owner()
          .post("/api/passports", CaseFile.object("hooks/passport.json"))
          .string("agent_id");

  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "SAFECONDUCT_URL", service.base().toString(),
          "SAFECONDUCT_API_KEY", service.key(),
          "SAFECONDUCT_AGENT_ID", agent);

  private static final Calls caller = service.owner().with("Safeconduct-Agent", agent);

  @TestFactory
  Stream<DynamicTest> eachAgentReadsTheAnswer() {
    return HookCases.AGENTS.stream()
        .flatMap(name -> {
          List<HookCases.Case> cases = HookCases.of(name);
          return cases.subList(0, Math.min(CASES_EACH, cases.size())).stream();
        })
        .map(one -> DynamicTest.dynamicTest(one.agent() + ": " + one.about(), () -> check(one)));
  }

  private static void check(HookCases.Case one) {
    Reply reply = HookCases.send(caller, one, one.event());
    PosixShell shell = PosixShell.of(one.about().hashCode());
    ShellRun run = run(shell, one, one.event());
    assertThat(Integer.toString(run.exit()))
        .as(reply + " " + run)
        .isEqualTo(reply.header("Safeconduct-Exit").orElseThrow());
    String body = new String(reply.body(), ISO_8859_1);
    boolean onError = reply.header("Safeconduct-Output").orElseThrow().equals("stderr");
    String reason = reply.header("Safeconduct-Reason").orElse("");
    assertThat(withoutIds(run.out())).isEqualTo(withoutIds(onError ? "" : body));
    assertThat(withoutIds(run.err()))
        .isEqualTo(run.exit() == 0 ? "" : withoutIds((onError ? body : reason) + "\n"));
  }

  /** The program passes on what it reads; a part of an event must not count as one. */
  @ParameterizedTest
  @EnumSource
  void whatIsNotOneObjectIsDenied(PosixShell shell) {
    for (String input :
        new String[] {"", " ", "[]", "null", "{\"a\": 1", "x{}", "{}]", "{}{}", "{\"a\0\": 1}"}) {
      ShellRun run =
          ShellRun.of(shell.process(ENVIRONMENT, "safeconduct-hook", "claude-code"), input);
      assertThat(run.exit()).as(input).isEqualTo(2);
      assertThat(run.out()).as(input).contains("\"permissionDecision\":\"deny\"");
    }
  }

  private static ShellRun run(PosixShell shell, HookCases.Case one, JsonObject event) {
    ProcessBuilder program = shell.process(ENVIRONMENT, "safeconduct-hook", one.agent());
    if (one.expected().string("query").orElse("").contains("local_approval")) {
      program.command().add("--local-approval");
    }
    return ShellRun.of(program, Json.text(event));
  }

  /** Each call is a decision of its own. */
  private static String withoutIds(String text) {
    return text.replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}|(req|apr)_[0-9a-f]+", "ID");
  }
}
