package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Both automata, and a regular expression written by the text of the section, say the same. */
class GlobAgreementTest {
  @Property(tries = 5000)
  void theAutomataAgreeWithARegularExpression(
      @ForAll("globs") String glob, @ForAll("paths") String path) {
    int[] tokens = GlobTokens.of(glob);
    boolean expected = Pattern.matches(regex(glob), path);
    assertThat(new BitGlob(tokens, false).matches(path)).isEqualTo(expected);
    assertThat(new LongGlob(tokens, false).matches(path)).isEqualTo(expected);
  }

  @Property(tries = 5000)
  void aTreeIsTheGlobOfTheDirectoryAndWhatLiesBelow(
      @ForAll("globs") String glob, @ForAll("paths") String path) {
    int[] tokens = GlobTokens.of(glob);
    boolean expected = false;
    for (int end = 1; end <= path.length(); end++) {
      boolean whole = end == path.length() || path.charAt(end) == '/';
      expected |= whole && Pattern.matches(regex(glob), path.substring(0, end));
    }
    assertThat(new BitGlob(tokens, true).matches(path)).isEqualTo(expected);
    assertThat(new LongGlob(tokens, true).matches(path)).isEqualTo(expected);
  }

  @Test
  void aLongGlobIsALongGlob() {
    String part = "a*".repeat(40);
    assertThat(Glob.exactly(part)).isInstanceOf(LongGlob.class);
    assertThat(Glob.exactly(part).matches("ab".repeat(40))).isTrue();
    assertThat(Glob.tree("/x/" + part).matches("/x/" + "a".repeat(40) + "/b")).isTrue();
    assertThat(Glob.exactly(part).matches("a".repeat(39))).isFalse();
  }

  @Provide
  Arbitrary<String> globs() {
    return Arbitraries.of("a", "b", "/", "?", "*", "**", "**/", "\u00e9")
        .list()
        .ofMinSize(1)
        .ofMaxSize(8)
        .map(parts -> String.join("", parts));
  }

  @Provide
  Arbitrary<String> paths() {
    return Arbitraries.of("a", "b", "/", "\u00e9", "\ud83d\ude00")
        .list()
        .ofMinSize(1)
        .ofMaxSize(9)
        .map(parts -> String.join("", parts));
  }

  private static String regex(String glob) {
    var regex = new StringBuilder("(?s)");
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      if (c == '?') {
        regex.append("[^/]");
      } else if (c != '*') {
        regex.append(Pattern.quote(String.valueOf(c)));
      } else if (glob.startsWith("**/", i) && (i == 0 || glob.charAt(i - 1) == '/')) {
        regex.append("(?:.*/)?");
        i += 2;
      } else if (glob.startsWith("**", i)) {
        regex.append(".*");
        i++;
      } else {
        regex.append("[^/]*");
      }
    }
    return regex.toString();
  }
}
