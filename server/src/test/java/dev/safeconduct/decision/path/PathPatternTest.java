package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class PathPatternTest {
  @ParameterizedTest
  @CsvFileSource(resources = "/cases/path/patterns.csv", delimiter = '|', numLinesToSkip = 1)
  void matches(String entry, String path, boolean allow, boolean block) {
    List<String> list = entry == null ? List.of("") : List.of(entry);
    String normal = LexicalPath.normalise(path);
    assertThat(PathPatterns.allowList(list).match(normal)).as("allow-list").isEqualTo(allow);
    assertThat(PathPatterns.blockList(list).match(normal)).as("block-list").isEqualTo(block);
  }

  /** A directory entry admits only what is, lexically, that directory or below it. */
  @RandomTest
  void noFormOfAnAdmittedPathLiesOutside(RandomCase random) {
    String path =
        random.joined(
            10, "/", "a", "b", "c", "d", "..", ".", "%2e", "%2f", "\\", "%5c", "%25", "2e",
            "\uff0e", "\uff0f", "file://");
    var list = PathPatterns.allowList(List.of("/a", "/b/c/*", "d/**"));
    if (list.matchEveryForm(path)) {
      for (String form : PathForms.of(path)) {
        String normal = LexicalPath.normalise(form);
        assertThat(normal).matches("/a(/.*)?|/b/c(/.*)?|d(/.*)?");
        assertThat(normal.split("/", -1)).doesNotContain("..", ".");
      }
    }
  }
}
