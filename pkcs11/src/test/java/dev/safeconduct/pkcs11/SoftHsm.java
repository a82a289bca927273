package dev.safeconduct.pkcs11;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A token of SoftHSM, Debian's security module in software. The module finds its tokens by the
 * environment, and a process that has loaded it sees those that were there then.
 */
final class SoftHsm {
  static final String PIN = "73-51";

  private static final Pattern SLOT = Pattern.compile("reassigned to slot ([0-9]+)");

  private final Path settings;
  private final Path config;
  private final String label;

  private SoftHsm(Path settings, Path config, String label) {
    this.settings = settings;
    this.config = config;
    this.label = label;
  }

  /** A new token for other processes, with a key that makes the master key. */
  static SoftHsm in(Path folder) throws IOException, InterruptedException {
    SoftHsm token = made(folder.resolve("softhsm2.conf"), "t");
    String made =
        token.tool(
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
    return token;
  }

  /** A new, empty token for this process, made before it loads the module. */
  static SoftHsm inThisProcess(String label) throws IOException, InterruptedException {
    return made(Path.of(System.getenv("SOFTHSM2_CONF")), label);
  }

  private static SoftHsm made(Path settings, String label)
      throws IOException, InterruptedException {
    Path tokens = Files.createDirectories(settings.resolveSibling("tokens"));
    Files.writeString(
        settings, "directories.tokendir = " + tokens + "\nobjectstore.backend = file\n");
    var token = new SoftHsm(settings, settings.resolveSibling(label + ".cfg"), label);
    String said =
        token.done(
            List.of(
                "softhsm2-util",
                "--init-token",
                "--free",
                "--label",
                label,
                "--pin",
                PIN,
                "--so-pin",
                PIN));
    Matcher slot = SLOT.matcher(said);
    if (!slot.find()) {
      throw new AssertionError(said);
    }
    Files.writeString(
        token.config,
        "name = " + label + "\nlibrary = " + library() + "\nslot = " + slot.group(1) + "\n");
    return token;
  }

  private static String library() {
    return Stream.of(
            "/usr/lib/softhsm/libsofthsm2.so",
            "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
            "/usr/lib64/softhsm/libsofthsm.so")
        .filter(path -> Files.exists(Path.of(path)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("bin/test-prerequisites pkcs11 installs SoftHSM"));
  }

  /** What {@code PKCS11_CONFIG} names. */
  Path config() {
    return config;
  }

  /** What a service needs to use the token. */
  Map<String, String> environment() {
    return Map.of(
        "SOFTHSM2_CONF",
        settings.toString(),
        "PKCS11_CONFIG",
        config.toString(),
        "PKCS11_PIN",
        PIN);
  }

  /** What {@code pkcs11-tool}, logged in, says. */
  String tool(String... arguments) throws IOException, InterruptedException {
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
                label));
    command.addAll(List.of(arguments));
    return done(command);
  }

  /** Whether the token has the key, whose {@code CKA_ID} is the end of its {@code kid}. */
  boolean holds(String kid) throws IOException, InterruptedException {
    String listed = tool("--list-objects");
    boolean byId = Pattern.compile("ID: +" + kid.replaceAll(".*-", "")).matcher(listed).find();
    if (byId != listed.contains(kid)) {
      throw new AssertionError(listed);
    }
    return byId;
  }

  private String done(List<String> command) throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SOFTHSM2_CONF", settings.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError(String.join(" ", command) + ": " + said);
    }
    return said;
  }
}
