package dev.safeconduct;

import static dev.safeconduct.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.Env;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A service whose master key is in a security module, SoftHSM of Debian. It runs in a process of
 * its own, as the module finds its tokens by the environment.
 */
final class Pkcs11Test {
  private static final String PIN = "73-51";

  @TempDir Path folder;

  private Path softhsm() throws IOException {
    Path tokens = Files.createDirectories(folder.resolve("tokens"));
    return Files.writeString(
        folder.resolve("softhsm2.conf"),
        "directories.tokendir = " + tokens + "\nobjectstore.backend = file\n");
  }

  private static String library() {
    return Stream.of(
            "/usr/lib/softhsm/libsofthsm2.so",
            "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
            "/usr/lib64/softhsm/libsofthsm.so")
        .filter(path -> Files.exists(Path.of(path)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("bin/test-prerequisites installs SoftHSM"));
  }

  private String run(Path softhsm, Map<String, String> more, List<String> command)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SOFTHSM2_CONF", softhsm.toString());
    builder.environment().putAll(more);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + "\n" + said;
  }

  @Test
  void theMasterKeyNeverLeavesTheModule() throws Exception {
    Path softhsm = softhsm();
    assertThat(
            run(
                softhsm,
                Map.of(),
                List.of(
                    "softhsm2-util",
                    "--init-token",
                    "--free",
                    "--label",
                    "t",
                    "--pin",
                    PIN,
                    "--so-pin",
                    PIN)))
        .startsWith("0\n");
    assertThat(
            run(
                softhsm,
                Map.of(),
                List.of(
                    "pkcs11-tool",
                    "--module",
                    library(),
                    "--login",
                    "--pin",
                    PIN,
                    "--token-label",
                    "t",
                    "--keygen",
                    "--key-type",
                    "GENERIC:32",
                    "--label",
                    "safeconduct",
                    "--usage-sign",
                    "--id",
                    "01")))
        .startsWith("0\n")
        .contains("never extractable");
    Path config =
        Files.writeString(
            folder.resolve("pkcs11.cfg"),
            "name = module\nlibrary = " + library() + "\nslotListIndex = 0\n");
    Map<String, String> settings = Map.of("PKCS11_CONFIG", config.toString(), "PKCS11_PIN", PIN);
    String first = served(softhsm, settings);
    assertThat(first).startsWith("0\n").contains("allowed true");
    assertThat(folder.resolve("data/master.key")).doesNotExist();
    // The same keys open again, and with another key of the module they do not.
    assertThat(served(softhsm, settings)).startsWith("0\n").contains("allowed true");
    Map<String, String> wrongPin = Map.of("PKCS11_CONFIG", config.toString(), "PKCS11_PIN", "0000");
    assertThat(served(softhsm, wrongPin)).doesNotStartWith("0\n").doesNotContain("allowed");
    Map<String, String> noKey =
        Map.of("PKCS11_CONFIG", config.toString(), "PKCS11_PIN", PIN, "PKCS11_KEY", "other");
    assertThat(served(softhsm, noKey)).contains("no key named other").doesNotContain("allowed");
  }

  private String served(Path softhsm, Map<String, String> settings)
      throws IOException, InterruptedException {
    return run(
        softhsm,
        settings,
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Asked.class.getName(),
            folder.resolve("data").toString()));
  }

  /** Serves, asks one question, and ends. */
  static final class Asked {
    private Asked() {}

    public static void main(String[] args) throws IOException {
      try (TestService service =
          TestService.start(
              Files.createDirectories(Path.of(args[0])), Map.copyOf(System.getenv()))) {
        String agent =
            service
                .admin()
                .post("/api/passports", Questions.passport(Questions.freshAgent(), 5))
                .string("agent_id");
        System.out.println(
            "allowed "
                + service
                    .admin()
                    .post(COMMAND, Questions.command(agent, "ls"))
                    .json()
                    .isTrue("allow"));
      }
    }
  }

  @Test
  void settingsThatContradictAreRefused() {
    assertThatThrownBy(() ->
            ServiceConfig.from(
                new Env(
                    Map.of(
                        "PKCS11_CONFIG", "x",
                        "SAFECONDUCT_MASTER_KEY", "a master key of the tests, long enough"))))
        .hasMessageContaining("PKCS11_CONFIG")
        .hasMessageContaining("PKCS11_PIN");
  }
}
