package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds for the texts of any file: the hook comes in, goes out, and the rest stays. */
final class HookTextTest {
  private static final String COMMAND =
      "'/opt/safe conduct/bin/safeconduct-hook' claude-code --url http://a --agent-id ap_1";

  @TempDir private Path home;

  @RandomTest
  void theHookComesAndGoesAndTheRestStays(RandomCase random) throws HookFault {
    String text = new Document(random, random.nextBoolean()).text();
    HookFormat format = format(true);
    String with = format.add(text, COMMAND);
    assertThat(format.holds(with, COMMAND)).isTrue();
    assertThat(format.commands(with)).containsExactly(COMMAND);
    assertThat(bare(with))
        .as("keeps every character")
        .containsSubsequence(
            bare(text).chars().mapToObj(Character::toString).toArray(String[]::new));
    String without = format.strip(with);
    assertThat(pruned(without)).isEqualTo(pruned(text));
    assertThat(format.commands(without)).isEmpty();
  }

  @RandomTest(cases = 60)
  void twiceIsOnceAndRemovalGivesTheSameBytes(RandomCase random) throws IOException {
    Path file = home.resolve(".claude/settings.json");
    Files.createDirectories(file.getParent());
    byte[] before = new Document(random, true).text().getBytes(UTF_8);
    Files.write(file, before);
    hook("install");
    byte[] installed = Files.readAllBytes(file);
    assertThat(installed).isNotEqualTo(before);
    hook("install");
    assertThat(file).hasBinaryContent(installed);
    hook("uninstall");
    assertThat(file).hasBinaryContent(before);
  }

  private void hook(String command) {
    var args = new ArrayList<>(List.of(command, "claude-code", "--dir", "/"));
    if (command.equals("install")) {
      args.addAll(List.of("--agent-id", "ap_1"));
    }
    Map<String, String> settings = Map.of("HOME", home.toString(), "PATH", "/nowhere");
    CommandRun.hook(settings, args.toArray(String[]::new)).line();
  }

  /** Comments are read only where the agent reads them. */
  @RandomTest(cases = 200)
  void aStrictFileWithCommentsIsRefused(RandomCase random) {
    String text = new Document(random, true).text();
    if (text.matches("(?s).*(// |/\\* |/\\*\\*/).*")) { // strings hold no spaces
      assertThat(refused(() -> format(false).add(text, COMMAND))).isPresent();
    }
  }

  private interface Edit {
    String run() throws HookFault;
  }

  private static Optional<String> refused(Edit edit) {
    try {
      edit.run();
      return Optional.empty();
    } catch (HookFault e) {
      return Optional.of(e.text());
    }
  }

  private static HookFormat format(boolean comments) throws HookFault {
    var files = AgentFiles.of("claude-code");
    JsonObject form = files.data().object("forms").orElseThrow().object("hooks").orElseThrow();
    return new JsonHooks("claude-code", form, comments);
  }

  private static String bare(String text) {
    return text.replaceAll("\\s", "");
  }

  /** The value without what a removal may leave out: an event without hooks. */
  private static JsonObject pruned(String text) throws HookFault {
    var root = (JsonObject) JsonSource.value(JsonSource.read(text, true));
    JsonObject hooks = root.object("hooks").orElse(JsonObject.EMPTY);
    if (hooks.array("PreToolUse").filter(JsonArray::isEmpty).isPresent()) {
      hooks = hooks.without("PreToolUse");
    }
    return hooks.isEmpty() ? root.without("hooks") : root.with("hooks", hooks);
  }

  /** A settings file as people and programs write them. */
  private record Document(RandomCase random, boolean comments) {
    String text() {
      String hooks =
          switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> "\"hooks\"" + space() + ":" + space() + "{" + space() + "}";
            case 2 -> "\"hooks\":{" + space() + "\"PreToolUse\":" + space() + array(1) + "}";
            default ->
                "\"hooks\": {\"Stop\":"
                    + array(2)
                    + ",\"PreToolUse\":["
                    + space()
                    + "]"
                    + space()
                    + "}";
          };
      List<String> members = members(0);
      if (!hooks.isEmpty()) {
        members.add(random.nextInt(members.size() + 1), hooks);
      }
      return space() + joined('{', members, '}') + space();
    }

    private List<String> members(int depth) {
      var members = new ArrayList<String>();
      for (int i = random.nextInt(4); i > 0; i--) {
        members.add("\"m" + i + "\"" + space() + ":" + space() + value(depth + 1));
      }
      return members;
    }

    private String value(int depth) {
      return switch (random.nextInt(depth > 3 ? 3 : 5)) {
        case 0 -> random.one("1", "-2.50", "1e3", "true", "null");
        case 1 ->
            "\"" + random.joined(3, "a", ",", "]", "//", "/*", "\\\"", "{", "é", "\\\\") + "\"";
        case 2 -> "\"\"";
        case 3 -> joined('{', members(depth), '}');
        default -> array(depth);
      };
    }

    private String array(int depth) {
      var elements = new ArrayList<String>();
      for (int i = random.nextInt(3); i > 0; i--) {
        elements.add(value(depth + 1));
      }
      return joined('[', elements, ']');
    }

    private String joined(char open, List<String> items, char close) {
      var text = new StringBuilder().append(open);
      for (int i = 0; i < items.size(); i++) {
        text.append(space()).append(items.get(i)).append(space());
        boolean last = i == items.size() - 1;
        text.append(!last || (comments && random.nextInt(4) == 0) ? "," : "");
      }
      return text.append(space()).append(close).toString();
    }

    private String space() {
      return random.nextInt(3) > 0
          ? ""
          : comments && random.nextInt(3) == 0
              ? random.one("// c, ] }\n", "/* , } */", " /**/ ", "\t// \"x\r\n")
              : random.one(" ", "\n", "\n  ", "\r\n\t", "   ");
    }
  }

  /** A shell reads back exactly the words that were written. */
  @RandomTest(cases = 60)
  void aShellReadsTheCommandLineAsItWasMeant(RandomCase random)
      throws IOException, InterruptedException {
    String folder =
        "/" + random.joined(6, "a", " ", "'", "\"", "$HOME", "`id`", "\\", ";", "é", "*", "#");
    Path program = Path.of(folder, "safeconduct-hook");
    var line =
        new HookCommandLine(
            program, "goose", "http://127.0.0.1:1/x", "ap_1", Optional.of(Path.of(folder)), true);
    assertThat(HookCommandLine.read(line.text())).contains(line);
    Process shell = new ProcessBuilder("sh", "-c", "printf '%s\\n' " + line.text()).start();
    assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8).lines())
        .containsExactly(
            program.toString(),
            "goose",
            "--url",
            "http://127.0.0.1:1/x",
            "--agent-id",
            "ap_1",
            "--key-file",
            Path.of(folder).toString(),
            "--local-approval");
    assertThat(shell.waitFor()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "2.1.294, 2.1.295, true",
    "2.1.295, 2.1.295, false",
    "2.2, 2.1.295, false",
    "2.1, 2.1.0, false",
    "1.0.9, 1.0.57, true"
  })
  void versionsAreComparedByNumber(String one, String other, boolean below) {
    assertThat(AgentVersion.of(one).isBelow(AgentVersion.of(other))).isEqualTo(below);
  }

  @Test
  void everyAgentIsDescribed() throws HookFault {
    for (AgentFiles agent : AgentFiles.all()) {
      assertThat(agent.name()).isNotBlank();
      assertThat(agent.failure()).isNotBlank();
      assertThat(agent.allowed()).isNotEmpty();
      for (String scope : HookPlaces.SCOPES) {
        agent.places(scope).forEach(place -> assertThat(agent.format(place.form())).isNotNull());
      }
      assertThat(AgentFiles.of(agent.id())).isEqualTo(agent);
    }
    assertThat(AgentFiles.all()).hasSize(10);
  }
}
