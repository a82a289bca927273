package dev.safeconduct.decision.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** Lists of repositories and branches, against regular expressions that say the same. */
final class NameGlobTest {
  @Property
  void matchesAsTheRegularExpressionWould(
      @ForAll @Chars({'a', 'b', '/', '*'}) @StringLength(max = 6) String entry,
      @ForAll @CharRange(from = 'a', to = 'b') @Chars('/') @StringLength(max = 8) String name) {
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
