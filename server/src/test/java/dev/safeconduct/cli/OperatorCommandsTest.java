package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What an operator does from a shell is done by the running service. */
final class OperatorCommandsTest {
  @TempDir private static Path folder;
  private static TestService service;

  @BeforeAll
  static void start() throws IOException {
    service = TestService.start();
    Files.writeString(folder.resolve("token"), TestService.ADMIN_TOKEN + "\n");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static CommandRun run(String... args) {
    var all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--url", service.base().toString()));
    all.addAll(List.of("--token-file", folder.resolve("token").toString()));
    return CommandRun.safeconduct(all.toArray(String[]::new));
  }

  @Test
  void allCommandsAreShownToWhoeverNamesNone() {
    CommandRun help = CommandRun.safeconduct("--help");
    assertThat(help.status()).isZero();
    List<String> all =
        List.of(
            "serve",
            "passports",
            "keys",
            "orgs",
            "users",
            "policies",
            "audit",
            "hook",
            "verify-receipt",
            "mcp-server");
    assertThat(help.out()).contains(all);
    CommandRun wrong = CommandRun.safeconduct("polices");
    assertThat(wrong.status()).isEqualTo(2);
    assertThat(wrong.err()).contains("polices", "policies");
    for (String command : all) {
      CommandRun own = CommandRun.safeconduct(command, "--help");
      assertThat(own.status()).as(command).isZero();
      assertThat(own.out()).contains("safeconduct " + command);
    }
  }

  @ParameterizedTest
  @MethodSource
  void anEmptyIdIsRefused(List<String> command) {
    CommandRun said = run(command.toArray(String[]::new));
    assertThat(said.status()).isEqualTo(2);
    assertThat(said.out()).isEmpty();
    assertThat(said.err()).contains("The id is empty.");
  }

  static List<List<String>> anEmptyIdIsRefused() {
    return List.of(
        List.of("passports", "show", ""),
        List.of("passports", "show", " "),
        List.of("keys", "revoke", ""),
        List.of("keys", "rotate", ""),
        List.of("keys", "list", "--org", ""),
        List.of("users", "remove", ""));
  }

  @Test
  void anAddressWithAPortThatIsNoneIsSaid() {
    String token = folder.resolve("token").toString();
    CommandRun said =
        CommandRun.safeconduct(
            "orgs", "list", "--token-file", token, "--url", "http://127.0.0.1:99999");
    assertThat(said.status()).isEqualTo(2);
    assertThat(said.err()).contains("99999").doesNotContain("Exception");
  }

  @Test
  void aKeyIsMadeUsedReplacedAndRevoked() {
    String org = run("orgs", "create", "--name", "Keys").line();
    String key =
        run("keys", "create", "--org", org, "--name", "ci", "--scope", "read,issue").line();
    assertThat(service.withKey(key).get("/api/passports/ap_none").status()).isEqualTo(404);
    String listed = run("keys", "list", "--org", org).line();
    assertThat(listed).startsWith("KEY_ID").contains("read,issue").doesNotContain(key);
    String id = listed.lines().skip(1).findFirst().orElseThrow().split(" ", 2)[0];
    String next = run("keys", "rotate", id, "--org", org).line();
    assertThat(service.withKey(key).get("/api/passports/ap_none").status()).isEqualTo(401);
    assertThat(service.withKey(next).get("/api/passports/ap_none").status()).isEqualTo(404);
    String second =
        run("keys", "list", "--org", org)
            .line()
            .lines()
            .filter(line -> line.endsWith("-"))
            .toList()
            .getFirst()
            .split(" ", 2)[0];
    assertThat(run("keys", "revoke", second, "--org", org).line()).isEqualTo("revoked " + second);
    assertThat(service.withKey(next).get("/api/passports/ap_none").status()).isEqualTo(401);
  }

  @Test
  void anAgentIsMadeAndStopped() throws IOException {
    Path file = folder.resolve("passport.json");
    Files.writeString(file, "{\"name\": \"Shell agent\"}");
    String agent = run("passports", "create", file.toString()).line();
    assertThat(agent).startsWith("ap_");
    assertThat(run("passports", "show", agent).json().string("name")).contains("Shell agent");
    assertThat(run("passports", "suspend", agent, "--reason", "odd commands").line())
        .isEqualTo("Agent status updated from 'active' to 'suspended'");
    assertThat(run("passports", "list", "--status", "suspended", "--find", "Shell").line())
        .contains(agent);
    assertThat(run("passports", "activate", agent, "--json").json().string("status"))
        .contains("active");
    assertThat(run("passports", "revoke", agent).line()).contains("to 'revoked'");
    CommandRun late = run("passports", "activate", agent);
    assertThat(late.status()).isEqualTo(1);
    assertThat(late.err()).contains("revoked");
    assertThat(late.out()).isEmpty();
  }

  @Test
  void peopleComeAndGo() {
    String account = run("users", "add", "ana@example.com", "--role", "auditor").line();
    assertThat(run("users", "list").line()).contains("ana@example.com", "auditor", account);
    run("users", "remove", account).line();
    assertThat(run("users", "list").line()).doesNotContain("ana@example.com");
    CommandRun refused = run("users", "add", "nonsense", "--role", "auditor");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("(email)");
  }

  @Test
  void aListOfSeveralPagesIsWhole() {
    String org = run("orgs", "create", "--name", "Many").line();
    for (int i = 0; i < 203; i++) {
      service.admin().post("/api/passports?org_id=" + org, "{\"name\": \"Agent " + i + "\"}");
    }
    String listed = run("passports", "list", "--org", org).line();
    assertThat(listed.lines()).hasSize(204);
    assertThat(listed.lines().distinct()).hasSize(204);
  }

  /** Whatever a service answers, a terminal obeys none of it. */
  @Test
  void whatIsPrintedIsPlain() {
    assertThat(TextTable.plain("a\u202eb\u001b[31m\u009b\n\ud800é"))
        .isEqualTo("a\ufffdb\ufffd[31m\ufffd\ufffd\ufffdé");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          orgs list --url http://127.0.0.1:1 --token-file {token} | No answer from
          orgs list --url ftp://example.com --token-file {token} | must begin with http
          orgs list --url {url} --token-file {folder}/missing | cannot be read
          orgs list --url {url} --token-file {wrong} | admin token
          keys create --url {url} --token-file {token} | Missing required option
          passports create {folder}/none.json --url {url} --token-file {token} | cannot be read
          """)
  void saysWhatIsWrong(String line, String complaint) throws IOException {
    Path wrong = folder.resolve("wrong");
    Files.writeString(wrong, "not-the-token-of-this-service");
    String[] args =
        line.replace("{url}", service.base().toString())
            .replace("{token}", folder.resolve("token").toString())
            .replace("{wrong}", wrong.toString())
            .replace("{folder}", folder.toString())
            .split(" ", -1);
    CommandRun said = CommandRun.safeconduct(args);
    assertThat(said.status()).isNotZero();
    assertThat(said.err()).contains(complaint);
  }

  /** Address and token come from the environment where no option names them. */
  @Test
  void theEnvironmentIsEnough() throws IOException, InterruptedException {
    ProcessBuilder builder = ServerProcess.safeconduct("orgs", "list", "--json");
    builder.environment().put("BASE_URL", service.base().toString());
    builder.environment().put("ADMIN_TOKEN", TestService.ADMIN_TOKEN);
    builder.redirectError(folder.resolve("errors").toFile());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(Files.readString(folder.resolve("errors"))).isZero();
    assertThat(said).contains(service.org());
  }
}
