package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LexicalPathTest {
  @ParameterizedTest
  @CsvSource({
    "'', .",
    "., .",
    "./, .",
    "/, /",
    "//, /",
    "/.., /",
    "/../.., /",
    "/../a, /a",
    "a, a",
    "./a, a",
    "a/, a",
    "a//b/./c, a/b/c",
    "/a/b/../c, /a/c",
    "/a/../../b, /b",
    "a/.., .",
    "a/../.., ..",
    "../a/../.., ../..",
    "../../a, ../../a",
    ".../a, .../a",
    "/a/..b, /a/..b",
    "/a/.b/, /a/.b",
    "~/../a, a",
    "$X/./y, $X/y",
    "C:/a/../b, C:/b",
  })
  void normalises(String path, String normal) {
    assertThat(LexicalPath.normalise(path)).isEqualTo(normal);
  }

  @ParameterizedTest
  @CsvSource({
    "/a, /a, true",
    "/a/b, /a, true",
    "/ab, /a, false",
    "/a, /a/b, false",
    "/x, /, true",
    "a/b, a, true",
    "../a, .., true",
    "../.., .., false",
    "../../a, .., false",
    "..a, .., false",
    "/A, /a, false",
  })
  void knowsWhatLiesWithin(String path, String directory, boolean within) {
    assertThat(LexicalPath.isWithin(path, directory)).isEqualTo(within);
  }

  @RandomTest
  void normalisingTwiceChangesNothing(RandomCase random) {
    String path = path(random);
    String normal = LexicalPath.normalise(path);
    assertThat(LexicalPath.normalise(normal)).isEqualTo(normal);
    assertThat(normal.startsWith("/")).isEqualTo(path.startsWith("/"));
  }

  @RandomTest
  void normalisingIsWalkingPartByPart(RandomCase random) {
    String path = path(random);
    assertThat(LexicalPath.normalise(path)).isEqualTo(walked(path));
  }

  private static String path(RandomCase random) {
    return String.join("/", random.some(0, 9, "a", "b", "..", ".", "", "..c", "~"));
  }

  private static String walked(String path) {
    boolean absolute = path.startsWith("/");
    Deque<String> parts = new ArrayDeque<>();
    for (String part : path.split("/", -1)) {
      boolean named = !parts.isEmpty() && !parts.getLast().equals("..");
      if (part.equals("..") && named) {
        parts.removeLast();
      } else if (!part.isEmpty() && !part.equals(".") && !(part.equals("..") && absolute)) {
        parts.addLast(part);
      }
    }
    String joined = String.join("/", parts);
    return absolute ? "/" + joined : joined.isEmpty() ? "." : joined;
  }
}
