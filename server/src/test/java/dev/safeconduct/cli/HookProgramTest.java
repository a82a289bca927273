package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.ShellRun.PosixShell;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.ScriptedReceiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code bin/safeconduct-hook} allows what the service allows, and nothing else. */
@Tag("slow")
final class HookProgramTest {
  private static final String KEY = "sck_theKeyOfTheHookTests";
  private static final String CALL = "{\"tool_name\": \"Bash\"}";
  private static final String ALLOW =
      "HTTP/1.1 200 OK\r\nSafeconduct-Exit: 0\r\nSafeconduct-Output: stdout\r\n"
          + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

  /** Nothing is ever left here; it is the folder for temporary files and the home. */
  @TempDir private Path folder;

  private Map<String, String> environment(String url) {
    return new HashMap<>(
        Map.of(
            "SAFECONDUCT_URL",
            url,
            "SAFECONDUCT_API_KEY",
            KEY,
            "TMPDIR",
            folder.toString(),
            "HOME",
            folder.toString()));
  }

  private static ShellRun run(PosixShell shell, Map<String, String> environment, String... args) {
    return ShellRun.of(shell.process(environment, "safeconduct-hook", args), CALL);
  }

  private static void assertDenied(ShellRun run) {
    assertDenied(run, "claude-code");
  }

  private static void assertDenied(ShellRun run, String agent) {
    assertThat(run.exit()).as(run.toString()).isEqualTo(2);
    assertThat(run.err()).startsWith("Safeconduct denied this call: ").endsWith(".\n");
    assertThat(run.out()).isEqualTo(Json.text(denial(agent, run.err())));
  }

  private static JsonObject denial(String agent, String err) {
    for (JsonObject denial : CaseFile.objects("hook-program-denials.json")) {
      if (denial.string("agent").orElseThrow().equals(agent)) {
        String out = Json.text(denial.object("out").orElseThrow());
        return Json.own(out.replace("REASON", err.strip()).getBytes(UTF_8));
      }
    }
    throw new AssertionError(agent);
  }

  @ParameterizedTest
  @EnumSource
  void everyAgentGetsItsOwnDenial(PosixShell shell) {
    for (JsonObject denial : CaseFile.objects("hook-program-denials.json")) {
      String agent = denial.string("agent").orElseThrow();
      ShellRun run = run(shell, environment("http://127.0.0.1:1"), agent);
      assertThat(run.exit()).as(agent).isEqualTo(2);
      assertThat(run.err()).contains("there is no connection").endsWith(".\n");
      assertThat(run.out())
          .as(agent)
          .isEqualTo(denial.has("out") ? Json.text(denial(agent, run.err())) : "");
    }
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @EnumSource
  void onlyWholeAnswersOfTheHookRouteCount(PosixShell shell) {
    for (JsonObject answer : CaseFile.objects("hook-program-answers.json")) {
      String about = shell + ": " + answer.string("about").orElseThrow();
      try (var server =
          ScriptedReceiver.start((connection, _) -> {
            connection.request();
            connection.send(raw(answer));
          })) {
        ShellRun run = run(shell, environment(server.url()), "claude-code");
        if (answer.has("exit")) {
          assertThat(run)
              .as(about)
              .isEqualTo(
                  new ShellRun(
                      (int) Questions.number(answer, "exit"),
                      answer.string("out").orElseThrow(),
                      answer.string("err").orElse("")));
        } else {
          assertThat(run.exit()).as(about).isEqualTo(2);
          assertDenied(run);
        }
        assertThat(server.connections()).as(about).isEqualTo(1);
      }
    }
  }

  private static String raw(JsonObject answer) {
    return answer
        .string("raw")
        .orElseGet(() -> {
          String body = answer.string("body").orElseThrow();
          String head =
              answer.array("head").orElseThrow().elements().stream()
                  .map(line -> ((JsonString) line).value() + "\r\n")
                  .collect(Collectors.joining());
          return answer.string("before").orElse("")
              + ("HTTP/1.1 " + answer.string("status").orElse("200 OK") + "\r\n" + head)
              + ("Content-Length: " + body.length() + "\r\n\r\n" + body);
        });
  }

  @ParameterizedTest
  @EnumSource
  void theCallArrivesByteForByteAndTheKeyIsNoArgument(PosixShell shell) throws IOException {
    var all = new byte[1_000_000];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i; // NUL too, which shells drop
    }
    byte[] call =
        ("{\"secret-marker\": \"" + new String(all, ISO_8859_1) + "\"}\n\n").getBytes(ISO_8859_1);
    Path arguments = folder.resolve("arguments");
    Path curl =
        program(
            "curl",
            "for word; do printf '%s\\n' \"$word\"; done >" + arguments + "; exec curl \"$@\"");
    try (var server = ScriptedReceiver.answering(ALLOW)) {
      Map<String, String> environment = environment(server.url());
      environment.put("SAFECONDUCT_CURL", curl.toString());
      environment.put("SAFECONDUCT_AGENT_ID", "ap_fromTheEnvironment");
      ProcessBuilder program =
          shell.process(
              environment, "safeconduct-hook", "codex", "--agent-id", "ap_1", "--local-approval");
      assertThat(ShellRun.of(program, call)).isEqualTo(new ShellRun(0, "{}", ""));
      ScriptedReceiver.Received request = server.received().get(0);
      assertThat(request.body()).isEqualTo(call);
      assertThat(request.requestLine())
          .isEqualTo("POST /hook/api/hooks/codex?local_approval=1 HTTP/1.1");
      assertThat(request.header("x-api-key")).isEqualTo(KEY);
      assertThat(request.header("safeconduct-agent")).isEqualTo("ap_1");
      assertThat(request.header("content-type")).isEqualTo("application/json");
      assertThat(Files.readString(arguments)).doesNotContain(KEY).doesNotContain("secret-marker");
    }
  }

  @ParameterizedTest
  @EnumSource
  void closedStreamsDeny(PosixShell shell) {
    for (String closed : new String[] {"<&-", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-"}) {
      ProcessBuilder program =
          shell.process(environment("http://127.0.0.1:1"), "safeconduct-hook", "goose");
      program.command().addAll(0, List.of("sh", "-c", "\"$@\" " + closed, "sh"));
      ShellRun run = ShellRun.of(program, CALL);
      assertThat(run.exit()).as(closed).isEqualTo(2);
      assertThat(run.out().isEmpty()).as(closed).isEqualTo(closed.contains(" >&-"));
    }
  }

  /**
   * Every shell has a code of its own for this; agents take other codes than 2 for no objection.
   */
  @ParameterizedTest
  @EnumSource
  void withoutFreeDescriptorsTheCodeIsTwo(PosixShell shell) {
    ProcessBuilder program =
        shell.process(environment("http://127.0.0.1:1"), "safeconduct-hook", "claude-code");
    program.command().addAll(0, List.of("sh", "-c", "ulimit -n 5; exec \"$@\" 2>/dev/null", "sh"));
    assertThat(ShellRun.of(program, CALL).exit()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void anAllowThatCannotBeWrittenDenies(PosixShell shell) {
    try (var server = ScriptedReceiver.answering(ALLOW)) {
      ProcessBuilder program =
          shell.process(environment(server.url()), "safeconduct-hook", "cursor");
      program.redirectOutput(Path.of("/dev/full").toFile());
      assertThat(ShellRun.of(program, CALL).exit()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SAFECONDUCT_URL      | file:///etc/passwd",
        "SAFECONDUCT_URL      | ftp://127.0.0.1",
        "SAFECONDUCT_URL      | http://user@127.0.0.1:1",
        "SAFECONDUCT_URL      | http://127.0.0.1:1/?x",
        "SAFECONDUCT_URL      | http://127.0.0.1:1/\" url = \"http://127.0.0.1:2",
        "SAFECONDUCT_API_KEY  | k\" header = \"X: y",
        "SAFECONDUCT_AGENT_ID | ap_1\" header = \"X: y",
        "SAFECONDUCT_PROXY    | http://127.0.0.1:1\" x = \"",
        "SAFECONDUCT_TIMEOUT  | 0",
        "SAFECONDUCT_TIMEOUT  | 60",
        "SAFECONDUCT_TIMEOUT  | 5; exit 0",
        "SAFECONDUCT_KEY_FILE | /nonexistent",
        "SAFECONDUCT_CURL     | /nonexistent/curl",
        "SAFECONDUCT_CURL     | /bin/true",
      })
  void aBadSettingDenies(String name, String value) {
    try (var server = ScriptedReceiver.answering(ALLOW)) {
      for (PosixShell shell : PosixShell.values()) {
        Map<String, String> environment = environment(server.url());
        environment.put(name, value);
        if (name.equals("SAFECONDUCT_KEY_FILE")) {
          environment.remove("SAFECONDUCT_API_KEY");
        }
        assertDenied(run(shell, environment, "claude-code"));
      }
      assertThat(server.connections()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--url", "--nonsense", "--help", "codex --url", "codex x", "../x"})
  void aBadCommandLineDenies(String line) {
    for (PosixShell shell : PosixShell.values()) {
      assertDenied(
          run(shell, environment("http://127.0.0.1:1"), line.split(" ", -1)),
          line.startsWith("codex") ? "codex" : "an-unknown-agent");
    }
  }

  @Test
  void curlThatIsKilledDenies() throws IOException {
    Path curl =
        program("curl", "printf '%s\\r\\n' 'HTTP/1.1 200 OK' 'Safeconduct-Exit: 0'; kill -9 $$");
    for (PosixShell shell : PosixShell.values()) {
      Map<String, String> environment = environment("http://127.0.0.1:1");
      environment.put("SAFECONDUCT_CURL", curl.toString());
      assertDenied(run(shell, environment, "claude-code"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:1, '', /dev/null",
    "http://127.0.0.1:1, http://127.0.0.1:2, /dev/null",
    "http://127.0.0.1:1, https://127.0.0.1:2, of-the-system",
    "https://127.0.0.1:1, '', of-the-system",
    "https://127.0.0.1:1, http://127.0.0.1:2, of-the-system",
  })
  void opensslHasItsSettingsWhereSomethingIsEncrypted(String url, String proxy, String settings)
      throws IOException {
    Path read = folder.resolve("read");
    Path curl = program("curl", "printf '%s' \"$OPENSSL_CONF\" >" + read + "; exit 7");
    for (PosixShell shell : PosixShell.values()) {
      Map<String, String> environment = environment(url);
      environment.put("SAFECONDUCT_CURL", curl.toString());
      environment.put("SAFECONDUCT_PROXY", proxy);
      environment.put("OPENSSL_CONF", "of-the-system");
      assertDenied(run(shell, environment, "claude-code"));
      assertThat(read).hasContent(settings);
    }
  }

  /** Tools such as npx put folders in front of PATH that an agent may write. */
  @Test
  void programsInPathAreNotBelieved() throws IOException {
    for (String name : new String[] {"curl", "tr", "sleep", "ls", "readlink", "printf"}) {
      program(name, "printf '%s' '" + ALLOW.replace("\r\n", "'; printf '\\r\\n%s' '") + "'");
    }
    Path link = folder.resolve("hook");
    Files.createSymbolicLink(link, Path.of("bin/safeconduct-hook").toAbsolutePath());
    for (PosixShell shell : PosixShell.values()) {
      ProcessBuilder program =
          shell.process(environment("http://127.0.0.1:1"), link.toString(), "claude-code");
      program.environment().merge("PATH", folder.toString(), (path, first) -> first + ":" + path);
      ShellRun run = ShellRun.of(program, CALL);
      assertDenied(run);
      assertThat(run.err()).contains("there is no connection");
    }
    Files.delete(link);
  }

  @Test
  void neitherCurlsOwnSettingsNorProxiesCount() throws IOException {
    Files.writeString(folder.resolve(".curlrc"), "url = \"http://127.0.0.1:1\"\nfail\n");
    try (var server = ScriptedReceiver.answering(ALLOW);
        var proxy = ScriptedReceiver.answering(ALLOW)) {
      for (PosixShell shell : PosixShell.values()) {
        Map<String, String> environment = environment(server.url());
        for (String name : new String[] {"http_proxy", "ALL_PROXY", "all_proxy", "https_proxy"}) {
          environment.put(name, proxy.url());
        }
        assertThat(run(shell, environment, "codex")).isEqualTo(new ShellRun(0, "{}", ""));
        assertThat(proxy.connections()).isZero();
      }
      Map<String, String> environment = environment("http://elsewhere.invalid");
      environment.put("SAFECONDUCT_PROXY", "http://127.0.0.1:" + proxy.port());
      assertThat(run(PosixShell.DASH, environment, "codex")).isEqualTo(new ShellRun(0, "{}", ""));
      assertThat(proxy.received()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKeyFileMustBeClosedToOthers(PosixShell shell) throws IOException {
    Path keys = Files.createDirectories(folder.resolve(".config/safeconduct"));
    try (var server = ScriptedReceiver.answering(ALLOW)) {
      Map<String, String> environment = environment(server.url());
      environment.remove("SAFECONDUCT_API_KEY");
      for (String name : new String[] {"key", "codex.key"}) {
        String lineEnd = name.equals("key") ? "" : "\r\n";
        Path file =
            Files.writeString(keys.resolve(name), "sck_of_" + name.replace('.', '_') + lineEnd);
        for (String mode : new String[] {"rw-r-----", "rw-----w-", "rw----r--", "rw-rw-rw-"}) {
          Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
          ShellRun run = run(shell, environment, "codex");
          assertDenied(run);
          assertThat(run.err()).as(mode).contains("open to other users");
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(run(shell, environment, "codex").exit()).isZero();
      }
      assertThat(server.received().stream().map(request -> request.header("x-api-key")))
          .containsExactly("sck_of_key", "sck_of_codex_key");
    }
  }

  @Test
  void aLinkToItWorks() throws IOException {
    Path link =
        Files.createSymbolicLink(
            folder.resolve("hook"), Path.of("bin/safeconduct-hook").toAbsolutePath());
    try (var server = ScriptedReceiver.answering(ALLOW)) {
      for (PosixShell shell : PosixShell.values()) {
        ProcessBuilder program = shell.process(environment(server.url()), link.toString(), "codex");
        assertThat(ShellRun.of(program, CALL)).isEqualTo(new ShellRun(0, "{}", ""));
      }
    }
    Files.delete(link);
  }

  @Test
  void manyAtOnceAreApart() {
    try (var server =
        ScriptedReceiver.start((connection, _) -> {
          String call = new String(connection.request().body(), UTF_8);
          connection.send(
              ALLOW.replace("Length: 2", "Length: " + call.length()).replace("{}", call));
        })) {
      List<String> calls = IntStream.range(0, 24).mapToObj(i -> "{\"n\": " + i + "}").toList();
      List<String> answers =
          calls.parallelStream()
              .map(call -> {
                PosixShell shell = PosixShell.of(call.length());
                return ShellRun.of(
                        shell.process(environment(server.url()), "safeconduct-hook", "codex"), call)
                    .out();
              })
              .toList();
      assertThat(answers).isEqualTo(calls);
    }
  }

  private Path program(String name, String script) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }
}
