package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The steps of {@code action.yml}, run as a GitHub runner does. */
final class GithubActionTest {
  private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\{ inputs\\.([a-z-]+) }}");

  @AutoClose private static final TestService service = TestService.start();
  private static final String agent = Questions.hosted(service, 3);

  @TempDir private Path folder;
  private Map<?, ?> action = Map.of();
  private String outputs = "";

  @BeforeEach
  void read() throws IOException {
    var load = new Load(LoadSettings.builder().build());
    action = (Map<?, ?>) load.loadFromString(Files.readString(Path.of("action.yml")));
  }

  private static Map<?, ?> map(Map<?, ?> of, String name) {
    return (Map<?, ?>) Objects.requireNonNull(of.get(name));
  }

  private ShellRun run(Map<String, String> given) throws IOException {
    var inputs = new HashMap<String, String>();
    map(action, "inputs")
        .forEach((name, input) -> {
          Object value = ((Map<?, ?>) input).get("default");
          inputs.put(name.toString(), value == null ? "" : value.toString());
        });
    inputs.put("url", service.base().toString());
    inputs.put("api-key", service.key());
    inputs.put("agent-id", agent);
    assertThat(inputs.keySet()).containsAll(given.keySet());
    inputs.putAll(given);

    List<?> steps = (List<?>) map(action, "runs").get("steps");
    assertThat(steps).hasSize(1);
    Map<?, ?> step = (Map<?, ?>) steps.get(0);
    assertThat(step.get("shell")).isEqualTo("sh");
    String script = Objects.requireNonNull(step.get("run")).toString();
    assertThat(script).as("an expression would add text to the script").doesNotContain("${{");
    Path file = Files.writeString(folder.resolve("script.sh"), script);
    Path output = Files.writeString(folder.resolve("output"), "");

    var program = new ProcessBuilder("sh", "-e", file.toString()).directory(folder.toFile());
    Map<String, String> environment = program.environment();
    environment.keySet().retainAll(List.of("PATH"));
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("GITHUB_ACTION_PATH", Path.of("").toAbsolutePath().toString());
    environment.put("GITHUB_OUTPUT", output.toString());
    map(step, "env")
        .forEach((name, value) -> {
          Matcher input = EXPRESSION.matcher(value.toString());
          assertThat(input.matches()).as(value.toString()).isTrue();
          environment.put(name.toString(), inputs.get(input.group(1)));
        });
    ShellRun run = ShellRun.of(program, "");
    outputs = Files.readString(output);
    return run;
  }

  @Test
  void checkFailsTheStepOnADeny() throws IOException {
    var check = new HashMap<>(Map.of("policy", "system.command.execute.v1"));
    check.put("context", "{\"command\": \"git status\"}");
    ShellRun allowed = run(check);
    assertThat(allowed).isEqualTo(new ShellRun(0, "::add-mask::" + service.key() + "\n", ""));
    assertThat(outputs).startsWith("allow=true\ndecision-id=0").endsWith("\nreason=\n");

    check.put("context", "{\"command\": \"rm ##[set-output name=allow;]true\\n::error::x\"}");
    ShellRun denied = run(check);
    assertThat(denied.exit()).isEqualTo(1);
    assertThat(outputs).startsWith("allow=false\ndecision-id=0");
    assertThat(denied.err().lines())
        .as("a runner obeys these")
        .noneMatch(line -> line.startsWith("::") || line.contains("##["));
    assertThat(outputs.lines()).hasSize(3);
  }

  @Test
  void execRunsTheLineOrNothing() throws IOException {
    Map<String, String> exec = new HashMap<>(Map.of("mode", "exec"));
    Files.writeString(folder.resolve("seen file"), "");
    exec.put("command", "ls 'seen file' && ls seen*");
    ShellRun allowed = run(exec);
    assertThat(allowed.exit()).as(allowed.toString()).isZero();
    assertThat(allowed.out()).endsWith("\nseen file\nseen file\n");
    assertThat(outputs).startsWith("allow=true\n");

    exec.put("command", "ls; rm 'seen file'");
    assertThat(run(exec).exit()).isEqualTo(126);
    assertThat(folder.resolve("seen file")).exists();
    assertThat(outputs).startsWith("allow=false\n");
  }

  @Test
  void aFailureFailsTheStepWithoutAnAllow() throws IOException {
    for (Map<String, String> wrong :
        List.of(
            Map.of("mode", "other"),
            Map.of("mode", "exec"),
            Map.of("mode", "check"),
            Map.of("mode", "exec", "command", "ls", "api-key", "sck_wrong"),
            Map.of("mode", "exec", "command", "ls", "url", "http://127.0.0.1:1"))) {
      assertThat(run(wrong).exit()).as(wrong.toString()).isNotZero();
      assertThat(outputs).doesNotContain("allow=true");
    }
  }
}
