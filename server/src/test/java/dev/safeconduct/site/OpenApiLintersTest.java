package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Public linters find nothing to mend in the contract: neither errors nor warnings. */
final class OpenApiLintersTest {
  private static final Path LINTERS = Path.of("target/openapi-linters");

  @Test
  void spectralFindsNothing() throws IOException, InterruptedException {
    String said =
        lint("spectral", "lint", "--fail-severity=warn", "--ruleset", rules("spectral.yaml"));
    assertThat(said).contains("No results with a severity of 'warn' or higher found!");
  }

  @Test
  void redoclyFindsNothing() throws IOException, InterruptedException {
    String said = lint("redocly", "lint", "--max-problems=50", "--config", rules("redocly.yaml"));
    assertThat(said)
        .contains("Your API description is valid")
        .doesNotContainPattern("[0-9]+ (?:warning|error)");
  }

  /** The document as it is served: linters read no parts. */
  private static String contract() {
    URL file = Objects.requireNonNull(OpenApiLintersTest.class.getResource("/api/openapi.json"));
    return Path.of(URI.create(file.toString())).toString();
  }

  private static String rules(String file) {
    return Path.of("server/src/test/openapi-linters", file).toAbsolutePath().toString();
  }

  private static String lint(String linter, String... arguments)
      throws IOException, InterruptedException {
    Path program = LINTERS.resolve("node_modules/.bin").resolve(linter);
    assertThat(program).as("the linters; bin/test-prerequisites installs them").exists();
    var command = new ArrayList<>(List.of("node", program.toAbsolutePath().toString()));
    command.addAll(List.of(arguments));
    command.add(contract());
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(LINTERS.toFile()).redirectErrorStream(true);
    // It would ask a registry for a newer one, and count its users.
    builder
        .environment()
        .putAll(Map.of("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true", "REDOCLY_TELEMETRY", "off"));
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }
}
