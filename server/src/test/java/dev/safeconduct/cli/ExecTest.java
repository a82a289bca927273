package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.ShellRun.PosixShell;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code safeconduct exec} runs what was evaluated, {@code safeconduct check} only asks. */
@Tag("slow")
final class ExecTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final String agent = Questions.hosted(service, service.org(), passport());

  @TempDir private Path folder;

  private static JsonObject passport() {
    return Calls.json(
        """
        {'name': 'Runner', 'status': 'active', 'assurance_level': 'L2',
         'capabilities': [{'id': 'system.command.execute'}, {'id': 'messaging.send'}],
         'limits': {'system.command.execute': {'max_execution_time': 60,
             'allowed_commands': ['echo', 'printenv', 'pwd', 'sleep', './words']},
           'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99,
             'channels_allowlist': ['team'], 'approval_required': true}}}
        """);
  }

  private static Map<String, String> environment() {
    return new HashMap<>(
        Map.of(
            "SAFECONDUCT_URL",
            service.base().toString(),
            "SAFECONDUCT_API_KEY",
            service.key(),
            "SAFECONDUCT_AGENT_ID",
            agent,
            "PATH",
            "/usr/local/bin:/usr/bin:/bin"));
  }

  private static ShellRun exec(PosixShell shell, Map<String, String> environment, String... args) {
    return ShellRun.of(shell.process(environment, "safeconduct-exec", args), "");
  }

  private static ShellRun exec(PosixShell shell, String... args) {
    return exec(shell, environment(), args);
  }

  private static void assertRefused(ShellRun run, String why) {
    assertThat(run.exit()).as(run.toString()).isEqualTo(126);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("safeconduct: ").contains(why);
  }

  /** The context of the newest decision, as the service evaluated it. */
  private static JsonObject judged() {
    JsonObject newest = (JsonObject) Questions.records(service.admin(), "limit=1").get(0);
    return newest.object("details").flatMap(details -> details.object("context")).orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void theVeryWordsThatWereJudgedRun(PosixShell shell) throws IOException {
    Path program = Files.writeString(folder.resolve("words"), "#!/bin/sh\nprintf '%s|' \"$@\"\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    String[] words = {
      "exec",
      "--cwd",
      folder.toString(),
      "--",
      "./words",
      "it's",
      "a;b",
      "$x",
      "`id`",
      "(y)",
      "é €\u200b😀",
      "",
      "x\"y\\z",
      "*",
      "~",
      "-n",
      "a=b",
      "=",
      "#",
      "tab\there",
      "--"
    };
    ShellRun run = exec(shell, words);
    assertThat(run.err()).isEmpty();
    assertThat(new String(run.out().getBytes(ISO_8859_1), UTF_8))
        .isEqualTo(String.join("|", List.of(words).subList(5, words.length)) + "|");
    assertThat(judged().string("command").orElseThrow())
        .isEqualTo(
            "./words 'it'\\''s' 'a;b' '$x' '`id`' '(y)' 'é €\u200b😀' '' 'x\"y\\z' '*' '~' -n"
                + " a=b '=' '#' 'tab\there' --");
  }

  @ParameterizedTest
  @EnumSource
  void aDenialOrAFailureRunsNothing(PosixShell shell) {
    assertRefused(exec(shell, "exec", "--", "rm", "-rf", "/"), "oap.command_not_allowed: ");
    assertRefused(exec(shell, "--", "rm"), "(decision 0");
    assertRefused(exec(shell, "--shell", "--", "echo a; rm b"), "\"rm b\"");
    assertRefused(exec(shell, "--url", "http://127.0.0.1:1", "--", "echo"), "no connection");
    assertRefused(exec(shell, "--agent-id", "ap_none", "--", "echo"), "answered 404");
    assertRefused(exec(shell, "--policy", "none.v1", "--", "echo"), "answered 404");
    assertRefused(exec(shell, "--cwd", "/nonexistent", "--", "echo"), "--cwd");
    assertRefused(exec(shell, "--wait", "09", "--", "echo"), "--wait takes");
    assertRefused(exec(shell, "--", "echo a"), "name of the program");
    assertRefused(exec(shell, "--", "-u", "echo"), "name of the program");
    assertRefused(exec(shell, "--", "X=1", "echo"), "name of the program");
    Map<String, String> environment = environment();
    environment.put("SAFECONDUCT_API_KEY", "sck_wrong");
    assertRefused(exec(shell, environment, "--", "echo"), "answered 401");
    environment = environment();
    environment.remove("SAFECONDUCT_AGENT_ID");
    assertRefused(exec(shell, environment, "--", "echo"), "give --agent-id");
    assertThat(exec(shell, "echo").exit()).isEqualTo(126);
    assertThat(exec(shell, "--nonsense", "--", "echo").exit()).isEqualTo(126);
    assertThat(exec(shell, "--").exit()).isEqualTo(126);
  }

  @ParameterizedTest
  @EnumSource
  void withoutAFolderOrAPathOfItsOwnNothingRuns(PosixShell shell) throws IOException {
    ProcessBuilder gone = shell.process(environment(), "safeconduct-exec", "--", "echo");
    String line = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
    gone.command().addAll(0, List.of("sh", "-c", line, "sh"));
    ShellRun refused = ShellRun.of(gone.directory(folder.toFile()), "");
    assertThat(refused.exit()).isEqualTo(126);
    assertThat(refused.err()).endsWith("safeconduct: the current folder is gone\n");

    Files.writeString(folder.resolve("ask.sh"), "echo the file of another; exit 0\n");
    for (String script : new String[] {"safeconduct-exec", "safeconduct-hook"}) {
      Path bin = Path.of("bin").toAbsolutePath();
      ProcessBuilder found = shell.process(environment(), script, "goose");
      found.command().replaceAll(word -> word.equals(bin + "/" + script) ? script : word);
      found.environment().merge("PATH", bin + ":", (path, first) -> first + path);
      ShellRun run = ShellRun.of(found.directory(folder.toFile()), "{}");
      assertThat(run.exit()).as(run.toString()).isNotZero();
      assertThat(run.out()).doesNotContain("another");
    }
  }

  /** Bytes that are not UTF-8 cannot be evaluated; the service would see another argument. */
  @ParameterizedTest
  @CsvSource({
    "\\377",
    "a\\200",
    "\\300\\257",
    "\\340\\200\\257",
    "\\355\\240\\200",
    "\\364\\220\\200\\200",
    "\\303",
    "\\360\\237\\230"
  })
  void anArgumentThatIsNotUtf8IsDenied(String bytes) {
    for (PosixShell shell : PosixShell.values()) {
      ProcessBuilder program = shell.process(environment(), "safeconduct-exec", "--", "echo");
      program
          .command()
          .addAll(0, List.of("sh", "-c", "exec \"$@\" \"$(printf '" + bytes + "')\"", "sh"));
      assertRefused(ShellRun.of(program, ""), "not valid UTF-8");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theCommandKeepsItsExitCodeInputFolderAndEnvironment(PosixShell shell) {
    Map<String, String> environment = environment();
    environment.putAll(
        Map.of("FOO", "b a\nr", "LC_ALL", "C.UTF-8", "LD_PRELOAD", "", "GIT_SSH", "x"));
    environment.putAll(Map.of("key", "a '$x' \"`\\", "body", "b", "SHELLOPTS", "pipefail"));
    environment.put("BASH_FUNC_\n\"ls\",\"note\":", "a name that looks like the question");
    assertThat(exec(shell, environment, "--", "printenv", "FOO").out()).isEqualTo("b a\nr\n");
    assertThat(judged().string("command").orElseThrow()).isEqualTo("printenv FOO");
    assertThat(exec(shell, environment, "--", "printenv", "key", "body").out())
        .as("the scripts have variables of these names")
        .isEqualTo("a '$x' \"`\\\nb\n");
    assertThat(exec(shell, environment, "--", "printenv", "PATH", "LC_ALL").out())
        .isEqualTo(environment.get("PATH") + "\nC.UTF-8\n");
    for (String dropped : new String[] {"LD_PRELOAD", "GIT_SSH", "SAFECONDUCT_API_KEY"}) {
      assertThat(exec(shell, environment, "--", "printenv", dropped))
          .as(dropped)
          .isEqualTo(new ShellRun(1, "", ""));
    }
    assertRefused(
        exec(shell, environment, "--env", "GIT_SSH", "--", "printenv", "GIT_SSH"),
        "oap.env_var_blocked: The environment variable \"GIT_SSH\"");
    assertThat(exec(shell, "--cwd", "/usr/../tmp", "--", "pwd").out()).isEqualTo("/tmp\n");
    assertThat(judged().string("cwd").orElseThrow()).isEqualTo("/tmp");
    assertThat(exec(shell, "--cwd", "/usr/../tmp", "--", "printenv", "PWD").out())
        .isEqualTo("/tmp\n");
    assertThat(exec(shell, "--timeout", "1", "--", "sleep", "60").exit()).isEqualTo(124);
    assertThat(exec(shell, "--timeout", "61", "--", "sleep", "0").err()).contains("oap.limit_");
    assertThat(exec(shell, "--timeout", "3601", "--", "true").err()).contains("from 1 to 3600");
    assertThat(exec(shell, "--", "./words").exit()).isEqualTo(127);
    assertThat(exec(shell, "--shell", "--", "echo '$x' && pwd").out())
        .isEqualTo("$x\n" + Path.of("").toAbsolutePath() + "\n");
  }

  @ParameterizedTest
  @CsvSource({
    "/usr/bin:/bin:",
    ":/usr/bin:/bin",
    "/usr/bin::/bin",
    "bin:/usr/bin:/bin",
    "./:/bin",
    "''"
  })
  void aPathThatDependsOnTheFolderIsDenied(String path) {
    for (PosixShell shell : PosixShell.values()) {
      ProcessBuilder program = shell.process(environment(), "safeconduct-exec", "--", "echo", "a");
      program.command().add(0, "env");
      program.command().add(1, "PATH=" + path);
      program.command().set(2, "/usr/bin/" + program.command().get(2));
      assertRefused(ShellRun.of(program, ""), "PATH has a relative or empty entry");
    }
  }

  @ParameterizedTest
  @EnumSource
  void anApprovalIsWaitedFor(PosixShell shell) throws IOException {
    String[] check = approvable(shell + " waits", "wait", "90");
    Process waiting = shell.process(environment(), "safeconduct-exec", check).start();
    String said = waiting.errorReader().readLine();
    assertThat(said).startsWith("safeconduct: waiting for an approval: http");
    assertThat(said).contains("/console/approvals/apr_");
    approve(said.substring(said.lastIndexOf('/') + 1));
    assertThat(waiting.onExit().join().exitValue()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anApprovalCanBeNamedLater(PosixShell shell) {
    String[] check = approvable(shell + " asks again", "wait", "0");
    ShellRun denied = exec(shell, check);
    assertThat(denied.exit()).isEqualTo(1);
    assertThat(denied.err()).startsWith("safeconduct: denied: oap.approval_required: ");
    String id = denied.err().replaceAll("(?s).*--approval (\\w+): http\\S+\\n$", "$1");
    String[] again = approvable(shell + " asks again", "approval", id);
    assertThat(exec(shell, again).exit()).isEqualTo(1);
    approve(id);
    assertThat(exec(shell, again).exit()).isZero();
    assertThat(exec(shell, again).exit()).as("it is good for one action").isEqualTo(1);
  }

  private static String[] approvable(String message, String option, String value) {
    String context =
        "{\"channel_id\": \"team\", \"message_type\": \"text\", \"message\": \"%s\"}"
            .formatted(message);
    return new String[] {
      "check", "--policy", "messaging.message.send.v1", "--context", context, "--" + option, value
    };
  }

  private static void approve(String id) {
    Reply approved = Owner.CALLS.post("/api/approvals/" + id + "/approve", "{}");
    assertThat(approved.status()).as(id).isEqualTo(200);
  }

  /** The first owner, who can set a password once only. */
  private static final class Owner {
    private static final Calls CALLS = service.operator();
  }

  @ParameterizedTest
  @EnumSource
  void theOptionsAreListedAndAMistakeIsNamed(PosixShell shell) {
    for (String command : List.of("exec", "check")) {
      ShellRun help = exec(shell, command, "--help");
      assertThat(help.exit()).as(help.toString()).isZero();
      assertThat(help.out()).startsWith("usage: ");
      assertThat(help.err()).isEmpty();
    }
    assertRefused(
        exec(shell, "exec", "--polcy", "x", "--", "echo"), "--polcy is not a known option");
    assertRefused(exec(shell, "exec", "echo"), "write -- before echo");
    assertRefused(exec(shell, "exec", "--"), "write -- and the command");
    assertThat(exec(shell, "check").exit()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void checkPrintsTheDecision(PosixShell shell) throws IOException {
    Path file = folder.resolve("context.json");
    Path output = folder.resolve("output");
    String allowed = "{\"command\": \"echo [}\\\" {\"}\n";
    Files.writeString(file, "{\"command\": \"rm\"}");
    for (String[] each : new String[][] {{"{\"command\": \"echo a\"}", "0"}, {"@" + file, "1"}}) {
      ShellRun run =
          exec(
              shell,
              "check",
              "--policy",
              "system.command.execute.v1",
              "--context",
              each[0],
              "--output",
              output.toString());
      assertThat(run.exit()).as(run.toString()).isEqualTo(Integer.parseInt(each[1]));
      JsonObject decision = Json.own(run.out().strip().getBytes(UTF_8));
      assertThat(Files.readString(output))
          .startsWith("allow=" + (run.exit() == 0))
          .contains("\ndecision-id=" + decision.string("decision_id").orElseThrow() + "\nreason=");
      Files.delete(output);
    }
    ProcessBuilder program =
        shell.process(
            environment(),
            "safeconduct-exec",
            "check",
            "--policy",
            "system.command.execute.v1",
            "--context",
            "-");
    assertThat(ShellRun.of(program, allowed).err()).contains("oap.command_not_allowed");
  }

  /** More than one object would be more members of the request. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '!',
      value = {
        "{},\"agent_id\":\"x\"",
        "{}{}",
        "[{}]",
        "{",
        "{}]",
        "{]",
        "1",
        "\"{}\"",
        "{\"a\":\"}",
        "!!",
        "{\"a\":1}}",
        "{\"\\\"},\"b\":{\"\":1}"
      })
  void aContextIsOneObject(String context) {
    try (var server =
        ScriptedReceiver.answering("HTTP/1.1 200 OK\r\nSafeconduct-Allow: true\r\n\r\n")) {
      for (PosixShell shell : PosixShell.values()) {
        Map<String, String> environment = environment();
        environment.put("SAFECONDUCT_URL", server.url());
        ShellRun run = exec(shell, environment, "check", "--policy", "p", "--context", context);
        assertThat(run.exit()).as(context + run).isEqualTo(2);
      }
      assertThat(server.connections()).isZero();
    }
  }

  @Test
  void aContextFileThatCannotBeReadIsSaidInOneLine() {
    for (PosixShell shell : PosixShell.values()) {
      for (Path file : List.of(folder, folder.resolve("absent.json"))) {
        ShellRun run =
            exec(shell, environment(), "check", "--policy", "p", "--context", "@" + file);
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("safeconduct: the file of --context cannot be read\n");
      }
    }
  }

  /** Only the header counts: the body holds text that the agent wrote. */
  @ParameterizedTest
  @CsvSource({
    "X: y",
    "Safeconduct-Allow: false",
    "Safeconduct-Allow: TRUE",
    "X-Safeconduct-Allow: true"
  })
  void anAllowInTheBodyIsNone(String header) {
    String body = "{\"allow\":true}\r\nSafeconduct-Allow: true\r\n\r\n";
    String answer =
        "HTTP/1.1 200 OK\r\n" + header + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    try (var server = ScriptedReceiver.answering(answer)) {
      for (PosixShell shell : PosixShell.values()) {
        assertRefused(exec(shell, "--url", server.url(), "--", "echo"), "");
      }
    }
  }

  @Test
  void theLauncherRunsBothWithoutAJavaMachine() {
    Map<String, String> environment = environment();
    environment.put("JAVA_HOME", "/nonexistent");
    var program = new ProcessBuilder("bin/safeconduct", "exec", "--", "echo", "a");
    program.environment().clear();
    program.environment().putAll(environment);
    assertThat(ShellRun.of(program, "")).isEqualTo(new ShellRun(0, "a\n", ""));
    program.command("bin/safeconduct", "check", "--nonsense");
    assertThat(ShellRun.of(program, "").exit()).isEqualTo(2);
  }
}
