package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/safeconduct} leaves standard output to the command. */
final class LauncherTest {
  @TempDir private Path home;

  /** What the jar of the test runs. */
  static final class Said {
    private Said() {}

    public static void main(String[] args) {
      System.out.println("said " + String.join(" ", args));
    }
  }

  @Test
  void aCacheThatDoesNotFitIsSaidOnStandardError() throws Exception {
    Path bin = Files.createDirectories(home.resolve("bin"));
    for (String script : new String[] {"safeconduct", "safeconduct.options", "find-jdk"}) {
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
    Files.writeString(target.resolve("safeconduct.aot"), "of another jar\n");

    var builder = new ProcessBuilder(bin.resolve("safeconduct").toString(), "a", "b");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().remove("JAVA_OPTS");
    Path err = home.resolve("err");
    Process process = builder.redirectError(err.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    assertThat(out).isEqualTo("said a b\n");
    assertThat(Files.readString(err)).contains("[aot]");
  }
}
