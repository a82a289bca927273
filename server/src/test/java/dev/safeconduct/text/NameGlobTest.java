package dev.safeconduct.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Lists of repositories and branches, against regular expressions that say the same. */
final class NameGlobTest {
  @RandomTest
  void matchesAsTheRegularExpressionWould(RandomCase random) {
    String entry = random.text(6, "ab/*");
    String name = random.text(8, "ab/");
    String expression = Pattern.quote(entry).replace("*", "\\E.*\\Q");
    assertThat(NameGlob.of(entry).matches(name))
        .isEqualTo(!entry.isEmpty() && Pattern.matches(expression, name));
  }

  @Test
  void anEmptyEntryMatchesNothing() {
    assertThat(NameGlob.anyMatches(List.of("", "a"), "")).isFalse();
    assertThat(NameGlob.anyMatches(List.of("", "*"), "")).isTrue();
  }

  @Test
  void manyStarsAndLongNamesTakeNoTime() {
    assertThat(NameGlob.of("*a".repeat(500) + "*b*").matches("a".repeat(5_000_000))).isFalse();
    assertThat(NameGlob.of("*ab".repeat(500) + "*ba").matches("ab".repeat(2_000_000) + "a"))
        .isTrue();
  }
}
