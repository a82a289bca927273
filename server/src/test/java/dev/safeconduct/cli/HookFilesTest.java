package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.CaseSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** What install and uninstall do to agents' files. */
final class HookFilesTest {
  private static final String CASES = "clients/hook-files.json";
  private static final String BACKUP = ".before-safeconduct";
  private static final String SETTINGS = ".claude/settings.json";
  private static final String PROGRAM = Path.of("bin/safeconduct-hook").toAbsolutePath().toString();

  @TempDir private Path home;

  @BeforeEach
  void makeProject() throws IOException {
    Files.createDirectories(home.resolve("project"));
  }

  @ParameterizedTest(name = "{1}: {0}")
  @CaseSource(CASES)
  void filesBecome(String about, String arguments, JsonObject before, JsonObject after)
      throws IOException {
    write(before);
    Map<String, String> original = files();
    assertThat(about).isNotEmpty();
    String shown = hook("install --dry-run " + arguments).line();
    assertThat(files()).as("after a dry run").isEqualTo(original);
    assertThat(shown).startsWith("--- ").contains("\n+");

    hook("install " + arguments).line();
    Map<String, String> installed = files();
    var wanted = new TreeMap<String, String>();
    after.forEach((name, text) -> wanted.put(name, text(text)));
    assertThat(withoutBackups(installed)).isEqualTo(wanted);
    boolean replaced = about.equals("another version of the hook");
    installed.forEach((name, text) -> {
      if (name.endsWith(BACKUP) && !replaced) {
        assertThat(text).isEqualTo(original.get(name.replace(BACKUP, "")));
      }
    });

    assertThat(hook("install " + arguments).line()).contains("nothing is changed");
    assertThat(files()).as("after a second installation").isEqualTo(installed);

    hook("uninstall " + arguments).line();
    if (!replaced) {
      assertThat(files()).as("after the removal").isEqualTo(original);
    }
    assertThat(files().values()).noneMatch(text -> text.contains(PROGRAM));
    assertThat(hook("uninstall " + arguments).line()).contains("nothing is changed");
  }

  @ParameterizedTest(name = "{0} {2}")
  @CaseSource(CASES)
  void isRefusedAndNothingChanges(String arguments, JsonObject before, String complaint)
      throws IOException {
    write(before);
    Map<String, String> original = files();
    CommandRun run = hook("install " + arguments);
    assertThat(run.status()).as(run.out()).isEqualTo(2);
    assertThat(run.err()).contains(complaint).doesNotContain("Exception");
    assertThat(run.out()).isEmpty();
    assertThat(files()).isEqualTo(original);
  }

  @Test
  void whatSomebodyAddsLaterStaysWhenTheHookGoes() throws IOException {
    write(SETTINGS, "{\n  // mine\n  \"model\": \"opus\"\n}\n");
    hook("install claude-code").line();
    Path file = home.resolve(SETTINGS);
    Files.writeString(file, Files.readString(file).replace("opus", "sonnet"));
    hook("uninstall claude-code").line();
    assertThat(file).hasContent("{\n  // mine\n  \"model\": \"sonnet\"\n}\n");
  }

  @Test
  void aHookThatAnotherFollowsGoesAlone() throws IOException {
    hook("install cursor").line();
    Path file = home.resolve(".cursor/hooks.json");
    String text = Files.readString(file);
    int end = text.indexOf("      }\n") + "      }".length();
    Files.writeString(
        file, text.substring(0, end) + ",\n      {\"command\": \"lint\"}" + text.substring(end));
    hook("uninstall cursor").line();
    assertThat(file)
        .hasContent(
            """
            {
              "version": 1,
              "hooks": {
                "preToolUse": [
                  {"command": "lint"}
                ]
              }
            }
            """);
  }

  @Test
  void modeAndLinksOfTheFileAreKept() throws IOException {
    Path real = home.resolve("dotfiles/claude.json");
    Files.createDirectories(real.getParent());
    Files.writeString(real, "{}");
    Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rw-r-----"));
    Path link = home.resolve(SETTINGS);
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, real);
    hook("install claude-code").line();
    assertThat(link).isSymbolicLink();
    assertThat(real).content().contains(PROGRAM);
    assertThat(mode(real)).isEqualTo("rw-r-----");
    assertThat(mode(real.resolveSibling("claude.json.before-safeconduct"))).isEqualTo("rw-r-----");
    hook("uninstall claude-code").line();
    assertThat(real).hasContent("{}");
    assertThat(mode(real)).isEqualTo("rw-r-----");
    try (Stream<Path> left = Files.list(real.getParent())) {
      assertThat(left).containsExactly(real);
    }
  }

  @Test
  void aLinkOutOfTheProjectIsRefused() throws IOException {
    Path outside = Files.createDirectories(home.resolve("elsewhere"));
    Files.createSymbolicLink(home.resolve("project/.claude"), outside);
    CommandRun run = hook("install claude-code --project");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("out of the project");
    Files.createSymbolicLink(home.resolve("project/.cursor"), home.resolve("nowhere"));
    assertThat(hook("install cursor --project").err()).contains("does not exist");
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void aFileInPlaceOfTheFolderIsNamed() throws IOException {
    Path file = Files.writeString(home.resolve(".claude"), "");
    assertThat(hook("install claude-code").err())
        .isEqualTo(home.resolve(SETTINGS) + " cannot be written: " + file + " exists already\n");
  }

  @Test
  void aFileThatIsNotUtf8IsRefused() throws IOException {
    Path file = home.resolve(SETTINGS);
    Files.createDirectories(file.getParent());
    byte[] bytes = {'{', '"', (byte) 0xff, '"', ':', '1', '}'};
    Files.write(file, bytes);
    assertThat(hook("install claude-code").err()).contains("is not UTF-8 text");
    assertThat(file).hasBinaryContent(bytes);
  }

  @Test
  void theAgentsOwnVariableMovesItsFolder() {
    var settings = new TreeMap<>(settings());
    settings.put("CODEX_HOME", home.resolve("moved").toString());
    CommandRun.hook(settings, "install", "codex", "--agent-id", "ap_1").line();
    assertThat(home.resolve("moved/hooks.json")).exists();
    assertThat(home.resolve(".codex")).doesNotExist();
  }

  /** The difference is one that {@code patch} understands. */
  @Test
  void theDryRunPrintsAPatch() throws IOException, InterruptedException {
    for (String text :
        List.of("", "{}", "{\n  \"a\": 1,\n  \"b\": 2\n}", "{\r\n  \"a\": 1\r\n}\r\n")) {
      write(SETTINGS, text);
      String patch = hook("install claude-code --dry-run").out();
      Path copy = home.resolve("copy");
      Files.writeString(copy, text);
      Process process =
          new ProcessBuilder("patch", "--binary", "-s", copy.toString())
              .redirectErrorStream(true)
              .start();
      try (var in = process.getOutputStream()) {
        in.write(patch.getBytes(UTF_8));
      }
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as(said + patch).isZero();
      hook("install claude-code").line();
      assertThat(copy).hasSameTextualContentAs(home.resolve(SETTINGS));
      hook("uninstall claude-code").line();
    }
  }

  @Test
  void theRequirementsOfCodexAreToml() throws IOException, InterruptedException {
    write("requirements.toml", "[features]\nhooks = true");
    hook("install codex --managed --file {home}/requirements.toml").line();
    String read = "import sys, tomllib\nprint(tomllib.load(open(sys.argv[1], 'rb'))['hooks'])";
    Process python =
        new ProcessBuilder("python3", "-c", read, home.resolve("requirements.toml").toString())
            .redirectErrorStream(true)
            .start();
    assertThat(new String(python.getInputStream().readAllBytes(), UTF_8))
        .contains("'PreToolUse': [{'hooks': [{'type': 'command', 'command': '" + PROGRAM);
    assertThat(python.waitFor()).isZero();
  }

  private CommandRun hook(String line) {
    var args = new ArrayList<>(List.of(line.replace("{home}", home.toString()).split(" ", -1)));
    args.addAll(List.of("--dir", home.resolve("project").toString()));
    if (args.getFirst().equals("install") && !args.contains("--agent-id")) {
      args.addAll(List.of("--agent-id", "ap_1"));
    }
    return CommandRun.hook(settings(), args.toArray(String[]::new));
  }

  private Map<String, String> settings() {
    return Map.of("HOME", home.toString(), "PATH", "/usr/bin:/bin");
  }

  private String text(Object value) {
    return ((JsonString) value)
        .value()
        .replace("{program}", PROGRAM)
        .replace("{home}", home.toString());
  }

  private void write(JsonObject texts) {
    texts.forEach((name, text) -> write(name, text(text)));
  }

  private void write(String name, String text) {
    try {
      Path file = home.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** All files below the home with their texts. */
  private Map<String, String> files() throws IOException {
    var found = new TreeMap<String, String>();
    try (Stream<Path> all = Files.walk(home)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        found.put(home.relativize(each).toString(), Files.readString(each));
      }
    }
    return found;
  }

  private static Map<String, String> withoutBackups(Map<String, String> files) {
    var rest = new TreeMap<>(files);
    rest.keySet().removeIf(name -> name.endsWith(BACKUP));
    return rest;
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
