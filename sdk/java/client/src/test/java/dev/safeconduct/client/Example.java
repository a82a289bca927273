package dev.safeconduct.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a program of {@code examples/java} with the service that {@code sdk/test} starts. */
public final class Example {
  private Example() {}

  /** Runs it: it prints one allow and one deny. */
  public static void run(String name) throws Exception {
    Path source = Path.of("examples/java", name + ".java");
    assertThat(Files.readAllLines(source)).hasSizeLessThanOrEqualTo(30);
    var program =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home", ""), "bin/java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path", "")),
            source.toString());
    program.environment().put("SAFECONDUCT_AGENT_ID", agent());
    program.redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = program.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    List<String> lines =
        output.lines().filter(line -> line.matches("(allowed|denied): .*")).toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).matches("allowed: .*(hello|october).*").doesNotContain("oap.");
    assertThat(lines.get(1)).matches("denied: .*oap\\.[a-z_]+.*");
  }

  private static String agent() {
    try (Safeconduct client = Safeconduct.builder().timeout(Duration.ofSeconds(20)).build()) {
      return Json.text(
          client.issue(
              Map.of(
                  "name",
                  "Examples",
                  "description",
                  "An agent of the examples.",
                  "capabilities",
                  List.of(Map.of("id", "system.command.execute"), Map.of("id", "data.file.read")),
                  "limits",
                  Map.of(
                      "system.command.execute",
                      Map.of("allowed_commands", List.of("echo")),
                      "data.file.read",
                      Map.of("allowed_paths", List.of("/reports/**"))))),
          "agent_id");
    }
  }
}
