package dev.safeconduct.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A token of SoftHSM, Debian's security module in software, with a key that makes the master key.
 * Whatever uses it runs in a process of its own, as the module finds its tokens by the environment.
 */
public final class SoftHsm {
  public static final String PIN = "73-51";

  private final Path folder;

  private SoftHsm(Path folder) {
    this.folder = folder;
  }

  /** A new token in the folder. */
  public static SoftHsm in(Path folder) throws IOException, InterruptedException {
    var module = new SoftHsm(folder);
    Path tokens = Files.createDirectories(folder.resolve("tokens"));
    Files.writeString(
        folder.resolve("softhsm2.conf"),
        "directories.tokendir = " + tokens + "\nobjectstore.backend = file\n");
    Files.writeString(
        module.config(), "name = module\nlibrary = " + library() + "\nslotListIndex = 0\n");
    module.done(
        List.of(
            "softhsm2-util",
            "--init-token",
            "--free",
            "--label",
            "t",
            "--pin",
            PIN,
            "--so-pin",
            PIN));
    String made =
        module.tool(
            "--keygen",
            "--key-type",
            "GENERIC:32",
            "--label",
            "safeconduct",
            "--usage-sign",
            "--id",
            "01");
    if (!made.contains("never extractable")) {
      throw new AssertionError(made);
    }
    return module;
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

  /** What {@code PKCS11_CONFIG} names. */
  public Path config() {
    return folder.resolve("pkcs11.cfg");
  }

  /** What {@code pkcs11-tool}, logged in, says. */
  public String tool(String... arguments) throws IOException, InterruptedException {
    var command =
        new ArrayList<>(
            List.of(
                "pkcs11-tool",
                "--module",
                library(),
                "--login",
                "--pin",
                PIN,
                "--token-label",
                "t"));
    command.addAll(List.of(arguments));
    return done(command);
  }

  private String done(List<String> command) throws IOException, InterruptedException {
    String said = run(Map.of(), command);
    if (!said.startsWith("0\n")) {
      throw new AssertionError(String.join(" ", command) + ": " + said);
    }
    return said;
  }

  /** Runs a class of the tests beside the token: its exit status, then what it said. */
  public String java(Map<String, String> environment, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return run(environment, command);
  }

  private String run(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SOFTHSM2_CONF", folder.resolve("softhsm2.conf").toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + "\n" + said;
  }

  /** The token that was made in the folder by another process. */
  public static SoftHsm made(Path folder) {
    return new SoftHsm(folder);
  }
}
