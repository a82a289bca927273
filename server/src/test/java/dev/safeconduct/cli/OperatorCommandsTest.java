package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.testkit.Calls;
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

  /** A call with mistakes, and what must be said of them. */
  record Mistake(String said, List<String> call) {}

  @ParameterizedTest
  @MethodSource
  void aMistakeIsNamed(Mistake mistake) throws IOException {
    Files.writeString(folder.resolve("keys.json"), service.nobody().get("/jwks.json").text());
    Files.writeString(folder.resolve("bad.json"), "{\"name\"");
    Files.writeString(folder.resolve("good.json"), "{}");
    String[] call =
        mistake.call().stream()
            .map(each -> each.endsWith(".json") ? folder.resolve(each).toString() : each)
            .toArray(String[]::new);
    CommandRun run = call[0].equals("verify-receipt") ? CommandRun.safeconduct(call) : run(call);
    assertThat(run.status()).isPositive();
    assertThat(run.err()).contains(mistake.said()).doesNotContain("Exception");
  }

  static List<Mistake> aMistakeIsNamed() {
    return List.of(
        new Mistake("bad.json: The file is not", List.of("passports", "create", "bad.json")),
        new Mistake(
            "bad.json: The file is not",
            List.of("verify-receipt", "bad.json", "--keys", "keys.json")),
        new Mistake(
            "bad.json: The file is not",
            List.of("verify-receipt", "good.json", "--record", "bad.json", "--keys", "keys.json")),
        new Mistake(
            "'x' is not a valid whole number",
            List.of("observe", "--org", "o", "--days", "x", "--reason", "r")));
  }

  @Test
  void observeModeBeginsAndEnds() {
    String org = run("orgs", "create", "--name", "Observed").line();
    CommandRun begun = run("observe", "--org", org, "--days", "3", "--reason", "a trial");
    assertThat(begun.status()).as(begun.err()).isZero();
    assertThat(begun.line()).startsWith("Observed until 20");
    assertThat(run("enforce", "--org", org).line()).isEqualTo("Enforced.");
    assertThat(run("enforce", "--org", org).line())
        .isEqualTo("Observe mode was not set; nothing changed.");
    assertThat(run("observe", "--org", org, "--days", "31", "--reason", "x").status()).isEqualTo(1);
    assertThat(run("observe", "--days", "3", "--reason", "x").status()).isEqualTo(2);
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
  void theAssuranceLevelIsRaisedWithItsEvidence() throws IOException {
    Path file = folder.resolve("assured.json");
    Files.writeString(file, "{\"name\": \"Assured agent\"}");
    String agent = run("passports", "create", file.toString()).line();
    List<String> assure = List.of("passports", "assure", agent, "--method", "contract on file");
    var more = new ArrayList<>(assure);
    more.addAll(List.of("--level", "L2", "--evidence", "ticket=OPS-12"));
    assertThat(run(more.toArray(String[]::new)).line()).isEqualTo("Assurance level L2, was L0");
    assertThat(run("passports", "show", agent).json().string("assurance_level")).contains("L2");
    assertThat(service.admin().get("/api/audit?kind=passport_updated&agent_id=" + agent).text())
        .contains("contract on file", "OPS-12");
    var wrong = new ArrayList<>(assure);
    wrong.addAll(List.of("--level", "L9"));
    CommandRun refused = run(wrong.toArray(String[]::new));
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("(assurance_level)");
    assertThat(run(assure.toArray(String[]::new)).status()).isEqualTo(2);
    assertThat(run("passports", "assure", "ap_none", "--level", "L1", "--method", "x").status())
        .isEqualTo(1);
  }

  /** The options select together; a dry run changes nothing. */
  @Test
  void manyAgentsAreStoppedAtOnce() throws IOException {
    String org = run("orgs", "create", "--name", "Bulk").line();
    Path file = folder.resolve("bulk.json");
    Files.writeString(file, "{\"name\": \"Bulk agent\", \"framework\": [\"bulk-cli\"]}");
    String agent = run("passports", "create", file.toString(), "--org", org).line();
    String other = run("passports", "create", file.toString()).line();
    List<String> select = List.of("--org", org, "--framework", "bulk-cli");
    CommandRun dry = status("suspended", select, "--dry-run");
    assertThat(dry.line()).startsWith("AGENT_ID").contains(agent).doesNotContain(other);
    assertThat(dry.line()).contains("Would change: 1; skipped: 0; --expect sha256:");
    assertThat(status("suspended", List.of("--framework", "bulk-cli"), "--dry-run").line())
        .as("without --org, of all organizations")
        .contains(agent, other);
    CommandRun unexpected = status("suspended", select, "--expect", "sha256:0");
    assertThat(unexpected.status()).isEqualTo(1);
    assertThat(unexpected.err()).contains("have changed");
    assertThat(shown(agent)).isEqualTo("active");
    assertThat(status("suspended", select).line()).endsWith("Changed: 1; skipped: 0");
    assertThat(shown(agent)).isEqualTo("suspended");
    assertThat(shown(other)).isEqualTo("active");
    assertThat(status("suspended", select).line()).contains("unchanged");
    assertThat(
            status("revoked", List.of("--agent", agent + "," + other), "--json")
                .json()
                .get("changed"))
        .isEqualTo(new JsonNumber(2));
    CommandRun unknown = status("suspended", List.of("--template", "ap_none"));
    assertThat(unknown.status()).isEqualTo(1);
    assertThat(unknown.err()).contains("(filter.template_id)");
    for (List<String> none :
        List.of(List.of("--agent", "ap_none"), List.of("--framework", "bulk-none"))) {
      CommandRun nothing = status("suspended", none);
      assertThat(nothing.status()).isEqualTo(1);
      assertThat(nothing.err()).contains("No passport is selected.");
    }
    CommandRun wrong = status("asleep", select);
    assertThat(wrong.status()).isEqualTo(1);
    assertThat(wrong.err()).contains("(status)");
    assertThat(status("suspended", List.of()).status()).isEqualTo(2);
    assertThat(status("suspended", List.of("--org", "")).err()).contains("(filter.org_id)");
    assertThat(run("passports", "status", "suspended", "--org", org).err()).contains("--reason");
  }

  private static CommandRun status(String status, List<String> select, String... more) {
    var args = new ArrayList<>(List.of("passports", "status", status, "--reason", "a drill"));
    args.addAll(select);
    args.addAll(List.of(more));
    return run(args.toArray(String[]::new));
  }

  private static String shown(String agent) {
    return run("passports", "show", agent).json().string("status").orElseThrow();
  }

  @Test
  void anOrganizationIsRenamedAndDeleted() {
    String org = run("orgs", "create", "--name", "Old works").line();
    assertThat(run("orgs", "rename", org, "--name", "New works").line()).isEqualTo("New works");
    assertThat(run("orgs", "list").line()).contains("New works").doesNotContain("Old works");
    assertThat(run("orgs", "delete", org, "--reason", "a drill").status()).isEqualTo(2);
    CommandRun wrong = run("orgs", "delete", org, "--confirm", "Old works", "--reason", "a drill");
    assertThat(wrong.status()).isEqualTo(1);
    assertThat(wrong.err()).contains("(confirm)");
    assertThat(run("orgs", "delete", org, "--confirm", "New works", "--reason", "a drill").line())
        .isEqualTo("Deleted; passports revoked: 0; keys revoked: 0; members removed: 0");
    assertThat(run("orgs", "list").line()).doesNotContain(org);
    assertThat(run("orgs", "rename", org, "--name", "x").status()).isEqualTo(1);
    assertThat(run("orgs", "rename", " ", "--name", "x").err()).contains("The id is empty.");
  }

  @Test
  void agentsAreHaltedAndResumed() {
    String org = run("orgs", "create", "--name", "Halted").line();
    String path = "/api/orgs/" + org + "/halt";
    assertThat(run("halt", "--org", org, "--reason", "a drill").line())
        .isEqualTo("Halted; active agents: 0");
    assertThat(service.admin().get(path).json().isTrue("halted")).isTrue();
    assertThat(run("halt", "--org", org, "--reason", "again").line()).startsWith("Halted already");
    assertThat(run("halt", "--org", org, "--reason", "again", "--json").json().isTrue("changed"))
        .isFalse();
    assertThat(run("resume", "--org", org).status()).isZero();
    assertThat(service.admin().get(path).json().isTrue("halted")).isFalse();
    assertThat(run("resume", "--org", org).line()).isEqualTo("It was not halted.");
    Calls owner = service.member(org, "halts-own@example.com", "owner");
    owner.post(path, Calls.json("{'reason': 'ours'}"));
    assertThat(run("resume", "--org", org).line())
        .isEqualTo("Nothing ended; another stays: the organization's own (--own).");
    assertThat(run("resume", "--org", org, "--own").line()).isEqualTo("Resumed.");
    run("halt", "--all", "--reason", "a drill").line();
    assertThat(service.admin().get("/api/admin/halt").json().isTrue("halted")).isTrue();
    run("resume", "--all").line();
    assertThat(service.admin().get("/api/admin/halt").json().isTrue("halted")).isFalse();
    CommandRun unknown = run("halt", "--org", "org_unknown", "--reason", "x");
    assertThat(unknown.status()).isEqualTo(1);
    assertThat(unknown.err()).contains("org_unknown");
    assertThat(run("halt", "--reason", "x").status()).isEqualTo(2);
    assertThat(run("halt", "--org", org).err()).contains("--reason");
    assertThat(run("resume", "--org", " ").err()).contains("The id is empty.");
  }

  @Test
  void anOperatorsTokenIsMadeUsedAndRevoked() throws IOException {
    String org = run("orgs", "create", "--name", "Tokens").line();
    String token = run("admin", "tokens", "create", "--name", "Ana", "--role", "read_only").line();
    assertThat(token).startsWith("sca_");
    Path file = folder.resolve("read-only");
    Files.writeString(file, token + "\n");
    String url = service.base().toString();
    assertThat(
            CommandRun.safeconduct("orgs", "list", "--url", url, "--token-file", file.toString())
                .line())
        .contains(org);
    CommandRun refused =
        CommandRun.safeconduct(
            "orgs", "create", "--name", "x", "--url", url, "--token-file", file.toString());
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("read-only");
    String deploy =
        run("admin", "tokens", "create", "--name", "CI", "--role", "deploy", "--org", org, "--json")
            .json()
            .string("org_id")
            .orElseThrow();
    assertThat(deploy).isEqualTo(org);
    String listed = run("admin", "tokens", "list").line();
    assertThat(listed)
        .startsWith("TOKEN_ID")
        .contains("Ana", "read_only", "CI")
        .doesNotContain(token);
    String id =
        listed
            .lines()
            .filter(line -> line.contains("Ana"))
            .findFirst()
            .orElseThrow()
            .split(" ", 2)[0];
    assertThat(run("admin", "tokens", "revoke", id).line()).isEqualTo("Revoked.");
    CommandRun late =
        CommandRun.safeconduct("orgs", "list", "--url", url, "--token-file", file.toString());
    assertThat(late.status()).isEqualTo(1);
    assertThat(late.err()).contains("does not accept");
    CommandRun wrong = run("admin", "tokens", "create", "--name", "x", "--role", "emperor");
    assertThat(wrong.status()).isEqualTo(1);
    assertThat(wrong.err()).contains("(role)");
    assertThat(run("admin", "tokens", "revoke", "tok_unknown").status()).isEqualTo(1);
    assertThat(run("admin", "tokens", "create", "--name", "x").status()).isEqualTo(2);
  }

  @Test
  void peopleComeAndGo() {
    String account = run("users", "add", "ana@example.com", "--role", "auditor").line();
    assertThat(run("users", "list").line()).contains("ana@example.com", "auditor", account);
    assertThat(run("users", "reset-second-factor", account).line()).contains(account);
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
