package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class PathSetTest {
  private static final Map<String, PathSet> LISTS =
      Map.of(
          "READ_CORE", BuiltInPaths.READ_CORE,
          "READ_DEFAULT", BuiltInPaths.READ_DEFAULT,
          "WRITE_CORE", BuiltInPaths.WRITE_CORE,
          "WRITE_DEFAULT", BuiltInPaths.WRITE_DEFAULT,
          "SENSITIVE", BuiltInPaths.SENSITIVE);

  @ParameterizedTest
  @CsvFileSource(resources = "/cases/path/built-in.csv", numLinesToSkip = 1)
  void theListsHoldTheirPatterns(String list, String hit, String miss) {
    PathSet set = Objects.requireNonNull(LISTS.get(list));
    assertThat(set.hits(LexicalPath.normalise(hit))).as(hit).isTrue();
    assertThat(set.hits(LexicalPath.normalise(miss))).as(miss).isFalse();
  }

  @Test
  void nothingMuchHitsNothing() {
    for (String path :
        List.of("/", ".", "..", "~", "a", "/srv/app/main.c", "/\u00e9.\ud83d\ude00")) {
      LISTS.forEach((name, set) -> assertThat(set.hits(path)).as(name + path).isFalse());
    }
  }

  @RandomTest(cases = 3000)
  void lookingFromADirectoryIsLookingAtTheWholePath(RandomCase random) {
    String directory = "/" + String.join("/", names(random)) + "/";
    String rest = String.join("/", names(random));
    assertThat(BuiltInPaths.SENSITIVE.within(directory).hits(rest))
        .isEqualTo(BuiltInPaths.SENSITIVE.hits(directory + rest));
  }

  @RandomTest(cases = 3000)
  void aSetIsABlockListInAHurry(RandomCase random) {
    var entries = List.of("/etc", "/proc/*/mem", "**/.ssh/**", "**/*.key", "**/id_rsa*");
    String path = String.join("/", names(random));
    for (String form : List.of(path, "/" + path)) {
      assertThat(PathSet.of(entries).hits(form))
          .isEqualTo(PathPatterns.blockList(entries).match(form));
    }
  }

  private static List<String> names(RandomCase random) {
    return random.some(
        1,
        4,
        "etc",
        "proc",
        "1",
        "mem",
        "ETC",
        ".ssh",
        "id_rsa",
        "id_rsa.pub",
        ".env",
        "a.key",
        "x",
        ".docker",
        "config.json",
        "credentials",
        "\u00e9");
  }
}
