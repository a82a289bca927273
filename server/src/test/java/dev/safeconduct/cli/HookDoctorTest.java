package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An installed hook, run as the agent runs it, against the real service. */
final class HookDoctorTest {
  private static final String SETTINGS = ".claude/settings.json";
  private static TestService service;
  private static String agent;

  @TempDir private Path home;

  @BeforeAll
  static void start() {
    service = TestService.start();
    agent = passport();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void makeProject() throws IOException {
    Files.createDirectories(home.resolve("project"));
    Files.createDirectories(home.resolve("bin"));
  }

  private static String passport() {
    return service
        .owner()
        .post(
            "/api/passports",
            """
            {"name": "Doctor", "capabilities": [{"id": "data.file.read"}, {"id": "data.file.write"}],
             "limits": {"data.file.read": {"allowed_paths": ["/**"]},
                        "data.file.write": {"allowed_paths": ["/**"]}}}
            """)
        .json()
        .string("agent_id")
        .orElseThrow();
  }

  static Stream<String> everyAgentIsDeniedAndAllowed() {
    return AgentFiles.all().stream().map(AgentFiles::id);
  }

  @ParameterizedTest
  @MethodSource
  void everyAgentIsDeniedAndAllowed(String name) throws IOException {
    Path agents = Files.createDirectories(home.resolve("project/.amazonq/cli-agents"));
    Files.writeString(agents.resolve("mine.json"), "{\"name\": \"mine\"}");
    assertThat(install(name, "--project").line())
        .contains("Check it: safeconduct hook doctor " + name);
    CommandRun run = hook("doctor", name);
    assertThat(run.status()).as(run.out()).isZero();
    assertThat(run.out())
        .contains("is denied", "is allowed", "exit status: 2", "exit status: 0")
        .doesNotContain("WRONG");
    assertThat(hook("status", name).line().lines().toList().get(1))
        .startsWith(name)
        .contains("project", "reachable", "active", home.resolve("project").toString());
    hook("uninstall", name).line();
    assertThat(hook("doctor", name).status()).isEqualTo(1);
    assertThat(hook("status", name).line()).contains(" no ");
  }

  /** What somebody or something does to an installed hook, and what the doctor says. */
  enum Harm {
    THE_MODE_IS_OPEN(
        "entries are missing or changed",
        home -> replace(home.resolve(SETTINGS), ",\n            \"onFailure\": \"block\"", "")),
    HOOKS_ARE_OFF(
        "disableAllHooks is true",
        home -> replace(home.resolve(SETTINGS), "{\n", "{\n  \"disableAllHooks\": true,\n")),
    THE_FILE_IS_BROKEN(
        "line 1: an object is expected",
        home -> replace(home.resolve(SETTINGS), "{\n  \"hooks\"", "\"hooks\"")),
    EVERYBODY_MAY_WRITE_THE_FILE(
        "everybody may write", home -> mode(home.resolve(SETTINGS), "rw-rw-rw-")),
    EVERYBODY_MAY_READ_THE_KEY(
        "chmod 600",
        home -> mode(home.resolve(".config/safeconduct/claude-code.key"), "rw-r--r--")),
    THE_KEY_IS_WRONG(
        "a call that does nothing is not allowed as it must be",
        home ->
            Files.writeString(home.resolve(".config/safeconduct/claude-code.key"), "sck_other\n")),
    ANOTHER_PROGRAM_ALLOWS_ALL(
        "is not denied as it must be",
        home -> {
          Path program = home.resolve("bin/safeconduct-hook");
          Files.writeString(program, "#!/bin/sh\nprintf '{}'\n");
          mode(program, "rwxr-xr-x");
          replace(home.resolve(SETTINGS), packaged(), program.toString());
        }),
    THE_PROGRAM_IS_ANOTHER(
        "is missing, changed or writable", home -> ANOTHER_PROGRAM_ALLOWS_ALL.act.on(home)),
    THE_PROGRAM_IS_GONE(
        "exit status: 127",
        home -> replace(home.resolve(SETTINGS), packaged(), "/nowhere/safeconduct-hook")),
    NOBODY_ANSWERS(
        "No answer from http://127.0.0.1:1",
        home -> replace(home.resolve(SETTINGS), service.base().toString(), "http://127.0.0.1:1")),
    THE_PASSPORT_IS_SUSPENDED(
        ": suspended",
        home -> {
          String other = passport();
          String body = "{\"agent_id\": \"" + other + "\", \"status\": \"suspended\"}";
          assertThat(service.admin().post("/api/admin/status", body).status()).isEqualTo(200);
          replace(home.resolve(SETTINGS), agent, other);
        });

    private interface Act {
      void on(Path home) throws IOException;
    }

    private final String complaint;

    @SuppressWarnings("ImmutableEnumChecker") // the actions hold no state and are not annotated so
    private final Act act;

    Harm(String complaint, Act act) {
      this.complaint = complaint;
      this.act = act;
    }

    private static String packaged() {
      return Path.of("bin/safeconduct-hook").toAbsolutePath().toString();
    }

    private static void replace(Path file, String part, String by) throws IOException {
      String text = Files.readString(file);
      assertThat(text).contains(part);
      Files.writeString(file, text.replace(part, by));
    }

    private static void mode(Path file, String mode) throws IOException {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }
  }

  @ParameterizedTest
  @EnumSource
  void theDoctorFindsWhatIsWrong(Harm harm) throws IOException {
    install("claude-code").line();
    harm.act.on(home);
    CommandRun run = hook("doctor", "claude-code");
    assertThat(run.status()).as(run.out()).isEqualTo(1);
    assertThat(run.out()).contains("WRONG", harm.complaint);
    assertThat(run.err()).isEmpty();
  }

  @Test
  void anOldVersionIsToldApart() throws IOException {
    Path program = home.resolve("bin/claude");
    Files.writeString(program, "#!/bin/sh\necho '2.1.290 (Claude Code)'\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(install("claude-code").line())
        .contains("Warning: version 2.1.290: onFailure is ignored")
        .doesNotContain("an exit status of 2");
    assertThat(hook("status", "claude-code").line()).containsPattern("2\\.1\\.290 +user +no ");
    CommandRun run = hook("doctor", "claude-code");
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("warn  version 2.1.290 is below 2.1.295");
  }

  /** The command as a shell runs it: the key comes from standard input and goes to one file. */
  @Test
  void theKeyIsStoredForItsOwnerOnly() throws IOException, InterruptedException {
    Path key = home.resolve("keys/goose");
    ProcessBuilder builder =
        ServerProcess.safeconduct(
            "hook", "install", "goose", "--key-stdin", "--key-file", key.toString());
    builder.environment().put("HOME", home.toString());
    builder.environment().put("SAFECONDUCT_AGENT_ID", agent);
    builder.environment().put("SAFECONDUCT_URL", service.base().toString());
    Process process = builder.redirectErrorStream(true).start();
    try (var in = process.getOutputStream()) {
      in.write((service.key() + "\n").getBytes(UTF_8));
    }
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(key).hasContent(service.key() + "\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key.getParent())))
        .isEqualTo("rwx------");
    Path file = home.resolve(".agents/plugins/safeconduct/hooks/hooks.json");
    assertThat(file).content().contains("--key-file " + key).doesNotContain(service.key());
    assertThat(said).doesNotContain(service.key());
    assertThat(hook("doctor", "goose").status()).isZero();
  }

  private CommandRun install(String name, String... more) {
    var args = new ArrayList<>(List.of("install", name, "--agent-id", agent, "--key-env"));
    args.addAll(List.of("--url", service.base().toString()));
    args.addAll(List.of(more));
    return hook(args.toArray(String[]::new));
  }

  private CommandRun hook(String... args) {
    var all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--dir", home.resolve("project").toString()));
    var settings = new TreeMap<String, String>();
    settings.put("HOME", home.toString());
    settings.put("PATH", home.resolve("bin") + ":/usr/bin:/bin");
    if (args[0].equals("install")) {
      settings.put("SAFECONDUCT_API_KEY", service.key());
    }
    return CommandRun.hook(settings, all.toArray(String[]::new));
  }
}
