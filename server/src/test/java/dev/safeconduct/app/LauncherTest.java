package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launchers leave standard output to the command, and limit the memory of some. */
final class LauncherTest {
  @TempDir private Path home;

  /** What the jar of the test runs. */
  static final class Said {
    private Said() {}

    public static void main(String[] args) {
      String heap =
          ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
              .filter(option -> option.startsWith("-Xmx"))
              .reduce("", (_, last) -> last);
      System.out.println(String.join(" ", args) + ": " + heap);
    }
  }

  @BeforeEach
  void copyLauncher() throws Exception {
    Path bin = Files.createDirectories(home.resolve("bin"));
    for (String script :
        List.of("safeconduct", "safeconduct-mcp-gateway", "safeconduct.options", "find-jdk")) {
      Files.copy(Path.of("bin", script), bin.resolve(script));
      assertThat(bin.resolve(script).toFile().setExecutable(true)).isTrue();
    }
    Path target = Files.createDirectories(home.resolve("target"));
    Path jar = target.resolve("safeconduct.jar");
    var manifest = new Manifest();
    Attributes about = manifest.getMainAttributes();
    about.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    about.put(Attributes.Name.MAIN_CLASS, Said.class.getName());
    about.put(
        Attributes.Name.CLASS_PATH,
        Said.class.getProtectionDomain().getCodeSource().getLocation().toString());
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
    Files.copy(jar, target.resolve("safeconduct-gateway.jar"), StandardCopyOption.COPY_ATTRIBUTES);
  }

  @Test
  void aCacheThatDoesNotFitIsSaidOnStandardError() throws Exception {
    Files.writeString(home.resolve("target/safeconduct.aot"), "of another jar\n");
    assertThat(run("", "a b")).startsWith("a b: -Xmx");
    assertThat(Files.readString(home.resolve("err"))).contains("[aot]");
  }

  @Test
  void theGatewayOverHttpTakesNoCacheOfTheOneOnStandardInput() throws Exception {
    Files.writeString(home.resolve("target/safeconduct-gateway.aot"), "of another jar\n");
    assertThat(run("", "mcp-gateway --server files")).isEqualTo("--server files: -Xmx128m");
    assertThat(Files.readString(home.resolve("err"))).contains("[aot]");
    assertThat(run("", "mcp-gateway --http --config x")).isEqualTo("--http --config x: -Xmx512m");
    assertThat(Files.readString(home.resolve("err"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          suggest --agent ap_1       |          | 120m
          suggest --template ap_1    |          | 120m
          suggest --agent ap_1       | -Xmx300m | 300m
          suggest --org ap_1         |          | 640m
          suggest --fleet            |          | 640m
          audit verify               |          | 640m
          """)
  void onlyASuggestionForOnePassportHasASmallHeap(
      String command, @Nullable String options, String heap) throws Exception {
    assertThat(run(options == null ? "" : options, command)).isEqualTo(command + ": -Xmx" + heap);
  }

  /** As cron starts it. */
  @ParameterizedTest
  @ValueSource(strings = {"safeconduct", "safeconduct-mcp-gateway"})
  void lettersOfOtherLanguagesAreReadInTheLocaleC(String program) throws Exception {
    var builder = new ProcessBuilder();
    // The test itself may run in such a locale.
    builder.command("sh", "-c", "\"$0\" \"$(printf 'K\\303\\266ln')\"", program(program));
    builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
    assertThat(run(builder, "")).startsWith("Köln: ");
    builder.environment().put("LC_ALL", "C");
    assertThat(run(builder, "")).startsWith("Köln: ");
    assertThat(Files.readString(home.resolve("err"))).isEmpty();
  }

  private String program(String name) {
    return home.resolve("bin").resolve(name).toString();
  }

  private String run(String options, String command) throws Exception {
    var line = new ArrayList<>(List.of(program("safeconduct")));
    line.addAll(List.of(command.split(" ")));
    return run(new ProcessBuilder(line), options);
  }

  private String run(ProcessBuilder builder, String options) throws Exception {
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("JAVA_OPTS", options);
    Process process = builder.redirectError(home.resolve("err").toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return out.stripTrailing();
  }
}
