package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of the guides do what their pages say, pasted one after the other into a shell. What
 * a page leaves to its reader (the address, the keys, the first {@code ap_…}) is filled in; a
 * command that fails, also by an answer that is an error, fails the test.
 */
@Tag("slow")
final class DocumentedToursTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\n(.*?)^```");
  private static final Pattern FILLED_IN =
      Pattern.compile("\\b(?:SAFECONDUCT|SAFECONDUCT_KEY|ADMIN_TOKEN)=\\S+");
  private static final String PRELUDE =
      """
      set -euo pipefail
      curl() { command curl --fail-with-body "$@"; }
      safeconduct() { mapfile -t program <<<"$PROGRAM"; "${program[@]}" "$@"; }
      bin/safeconduct() { safeconduct "$@"; }
      """;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before all tests
  static Path data;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static String agent;

  @BeforeAll
  static void start() {
    // A receiver that is not there, for the page that sends failed deliveries again.
    service =
        TestService.start(
            data,
            Map.of(
                "WEBHOOK_URL", "http://127.0.0.1:9/",
                "WEBHOOK_SECRET", "the-secret-of-the-tests-only",
                "WEBHOOK_RETRY_ATTEMPTS", "0"));
    agent = Questions.hosted(service, 9);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** The blocks of a page between two of its texts, but those that build or run the service. */
  private static String commands(String page, String from, String to) throws IOException {
    String text = Files.readString(Path.of(page));
    int begin = text.indexOf(from);
    int end = text.indexOf(to, begin);
    assertThat(begin).as(from).isNotNegative();
    assertThat(end).as(to).isGreaterThan(begin);
    var blocks = new ArrayList<String>();
    Matcher block = BLOCK.matcher(text.substring(begin, end));
    while (block.find()) {
      blocks.add(block.group(1));
    }
    assertThat(blocks).as(page).isNotEmpty();
    return blocks.stream()
        .flatMap(String::lines)
        .map(line ->
            line.startsWith("export ") ? FILLED_IN.matcher(line).replaceAll("FILLED_IN=yes") : line)
        .map(line -> line.replace("ap_…", agent).replace("org_…", service.org()))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private String run(String commands, Map<String, String> more)
      throws IOException, InterruptedException {
    var environment = new HashMap<>(more);
    String base = service.base().toString();
    environment.put("SAFECONDUCT", base.substring(0, base.length() - 1));
    environment.put("SAFECONDUCT_KEY", service.key());
    environment.put("ADMIN_TOKEN", TestService.ADMIN_TOKEN);
    environment.put("DATA_DIR", data.toString());
    environment.put("TMPDIR", folder.toString());
    environment.put("PROGRAM", String.join("\n", ServerProcess.safeconduct().command()));
    ProcessBuilder bash =
        new ProcessBuilder("bash", "-c", PRELUDE + commands)
            .directory(folder.toFile())
            .redirectErrorStream(true);
    bash.environment().putAll(environment);
    Process process = bash.start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }

  @Test
  void theReadmeAsksAndChecksASignature() throws IOException, InterruptedException {
    // The second page goes on with the files of the first.
    String printed =
        run(
            commands("README.md", "paste the key here", "## Settings")
                + commands(
                    "docs/verify-a-decision.md",
                    "## Check the signature",
                    "## Check who the agent is"),
            Map.of());
    assertThat(printed).contains("\"allow\":true").contains("\"records\":");
    assertThat(printed.split("Signature Verified Successfully", -1)).hasSize(3);
    Matcher digest =
        Pattern.compile("\"passport_digest\":\"(sha256:[0-9a-f]{64})\"").matcher(printed);
    assertThat(digest.find()).isTrue();
    assertThat(printed.strip()).endsWith(digest.group(1));
  }

  @Test
  void gettingStartedMakesAPassportAndAsks() throws IOException, InterruptedException {
    String printed =
        run(commands("docs/getting-started.md", "## Get an API key", "## Call it"), Map.of());
    assertThat(printed).contains("\"name\":\"Build agent\"", "\"allow\":true");
  }

  @Test
  void aTokenIsTakenAlong() throws IOException, InterruptedException {
    String printed =
        run(
            commands("docs/decision-tokens.md", "## Get a token", "## Check a token offline"),
            Map.of("AGENT", agent));
    assertThat(printed).startsWith("{\"token\":\"eyJ").contains("\"decision\":{");
  }

  @Test
  void aRecordIsCheckedByHand() throws IOException, InterruptedException {
    String id =
        service
            .owner()
            .post(Questions.COMMAND, Questions.command(agent, "ls"))
            .string("decision_id");
    List<String> printed =
        run(
                commands(
                    "docs/audit-log.md", "## Check a record by hand", "## Check the whole log"),
                Map.of("ID", id))
            .lines()
            .toList();
    String root = printed.getFirst().split(" ", -1)[1];
    // The checkpoint's third line is the root, in base64.
    assertThat(HexFormat.of().formatHex(Base64.getDecoder().decode(printed.get(3))))
        .isEqualTo(root);
  }

  @Test
  void whatAnAuditorWasGivenIsCheckedOffline() throws IOException, InterruptedException {
    String id =
        service
            .owner()
            .post(Questions.COMMAND, Questions.command(agent, "ls"))
            .string("decision_id");
    String printed =
        run(
            commands("docs/audit-log.md", "The operator can also export", "If the command breaks")
                + commands(
                    "docs/audit-log.md", "## Check what you were given", "The command needs no"),
            Map.of("ID", id));
    assertThat(printed).doesNotContain("FAULT").contains("october.ndjson matches the manifest");
  }

  @Test
  void aFeedIsSet() throws IOException, InterruptedException {
    assertThat(run(commands("docs/operations.md", "## Feeds", "## PostgreSQL"), Map.of()))
        .contains("\"north\":\"maintenance\"");
  }

  /** An agent for the commands that select all agents of a framework. */
  private static void runsClaudeCode() {
    String path = "/api/passports/" + Questions.hosted(service, 9);
    service.admin().patch(path, "{\"framework\": [\"claude-code\"]}");
  }

  @Test
  void theRunbooksCommandsWork() throws IOException, InterruptedException {
    runsClaudeCode();
    String leaked =
        service
            .admin()
            .post(
                "/api/orgs/" + service.org() + "/keys",
                Calls.json("{'name': 'leaked', 'scopes': ['read']}"))
            .string("key_id");
    Matcher kid =
        Pattern.compile("oap:registry:metadata-[0-9a-f]{16}")
            .matcher(service.admin().get("/api/signing-keys").text());
    assertThat(kid.find()).isTrue();
    String printed =
        run(
            commands("docs/runbooks.md", "The\ncommands need", "\n## An auditor")
                    .replace("key_…", leaked)
                + commands("docs/runbooks.md", "## An auditor", "[The audit log](audit-log.md)"),
            Map.of("KID", kid.group()));
    assertThat(printed).contains("\"status\":\"suspended\"", "sound");
  }

  @Test
  void aBackupIsMadeAndRestored() throws IOException, InterruptedException {
    String printed =
        run(
            commands("docs/back-up.md", "## Back up", "## Restore")
                    .replace("data/master.key", "\"$DATA_DIR\"/master.key")
                + """
                export DATA_DIR="$PWD/restored"
                mkdir "$DATA_DIR"
                cp master.key.backup "$DATA_DIR/master.key"
                """
                + commands("docs/back-up.md", "## Restore", "## A database whose"),
            Map.of());
    assertThat(printed).contains("sound", "restored");
  }

  @Test
  void keysAreRotatedAndPeopleAdded() throws IOException, InterruptedException {
    runsClaudeCode();
    Matcher kid =
        Pattern.compile("oap:registry:session-[0-9a-f]{16}")
            .matcher(service.admin().get("/api/signing-keys").text());
    assertThat(kid.find()).isTrue();
    // Other pages ask for the first agent.
    String other = Questions.hosted(service, 9);
    String printed =
        run(
            commands("docs/keys.md", "## Signing keys", "**Rotate** on")
                    .replace("\"decision\"}", "\"session\"}")
                + "export BASE_URL=$SAFECONDUCT\n"
                + commands("docs/operations.md", "## Use the command line", "These commands call")
                    .replace("suspend " + agent, "suspend " + other)
                    .replace("keys revoke key_…", "keys list"),
            Map.of("KID", kid.group()));
    assertThat(printed).contains("\"purpose\":\"session\"", "emoved the second factor of acc_");
  }

  @Test
  void anErrorLooksAsItsPageShows() throws IOException {
    String text = Files.readString(Path.of("docs/errors.md"));
    Matcher block = Pattern.compile("(?ms)^```json\n(.*?)^```").matcher(text);
    assertThat(block.find()).isTrue();
    String unknown = Questions.freshAgent();
    String live = service.owner().get("/api/passports/" + unknown).text();
    String shown =
        Calls.json(block.group(1).replace("ap_…", unknown))
            .toString()
            .replaceAll("2026-11-21T09:00:00.000Z|req_…", "~");
    assertThat(live.replaceAll("[0-9-]{10}T[0-9:]{8}\\.[0-9]{3}Z|req_[0-9a-f]{32}", "~"))
        .isEqualTo(shown);
  }

  @Test
  void aPackIsWrittenTestedAndPublished() throws IOException, InterruptedException {
    String printed =
        run(
            commands("docs/write-a-pack.md", "You need", "Each decision is also evaluated"),
            Map.of());
    assertThat(printed)
        .contains(
            "acme.stock.move.v1 is sound: 4 rules",
            "4 of 4 cases as expected; 4 of 4 rules covered (100 %)",
            "DENY  express_is_small  (context.items = 6, context.urgency = \"express\")",
            "\"active_version\":");
  }
}
