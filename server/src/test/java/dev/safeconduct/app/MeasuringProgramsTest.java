package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs beside the service that use its classes; no build compiles them. */
final class MeasuringProgramsTest {
  @TempDir private Path classes;

  @Test
  void programsThatUseTheServiceCompile() throws IOException {
    List<Path> programs = programs();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      var options =
          List.of(
              "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", classes.toString());
      boolean compiled =
          compiler
              .getTask(
                  said, files, null, options, null, files.getJavaFileObjectsFromPaths(programs))
              .call();
      assertThat(compiled).as(said.toString()).isTrue();
    }
    assertThat(programs).isNotEmpty();
  }

  private static List<Path> programs() throws IOException {
    var programs = new ArrayList<Path>();
    for (String folder : List.of("bench", "e2e")) {
      try (Stream<Path> files = Files.list(Path.of(folder))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
          if (Files.readString(file).contains("import dev.safeconduct.")) {
            programs.add(file);
          }
        }
      }
    }
    return programs;
  }
}
