package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/find-jdk} takes the JDK that {@code JAVA_HOME} names when that one is new enough. */
class FindJdkTest {
  @TempDir Path folder;

  private Path jdk(String java) throws IOException {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    for (String program : new String[] {"java", "javac"}) {
      Path file = Files.writeString(bin.resolve(program), "#!/bin/sh\n" + java);
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    return folder;
  }

  private static String found(Path home) throws Exception {
    var builder = new ProcessBuilder("bin/find-jdk").redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", home.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said.strip();
  }

  @Test
  void whatItsFileSaysIsBelieved() throws Exception {
    Path home = jdk("exit 1");
    Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.1\"\n");
    assertThat(found(home)).isEqualTo(home.toString());
  }

  @Test
  void oneWithoutThatFileIsAsked() throws Exception {
    Path home = jdk("echo 'openjdk version \"26-ea\" 2026-03-17' >&2");
    assertThat(found(home)).isEqualTo(home.toString());
  }

  @Test
  void anOldOneIsPassedOver() throws Exception {
    Path home = jdk("echo 'openjdk version \"24.0.2\" 2025-07-15' >&2");
    assertThat(found(home)).isNotEqualTo(home.toString());
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");
    assertThat(found(home)).isNotEqualTo(home.toString());
  }
}
