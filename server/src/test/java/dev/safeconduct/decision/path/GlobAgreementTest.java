package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Both automata, and a regular expression written by the text of the section, say the same. */
class GlobAgreementTest {
  @RandomTest(cases = 5000)
  void theAutomataAgreeWithARegularExpression(RandomCase random) {
    String glob = glob(random);
    String path = path(random);
    int[] tokens = GlobTokens.of(glob);
    boolean expected = Pattern.matches(regex(glob), path);
    assertThat(new BitGlob(tokens, false).matches(path)).isEqualTo(expected);
    assertThat(new Glob.LongGlob(tokens, false).matches(path)).isEqualTo(expected);
  }

  @RandomTest(cases = 5000)
  void aTreeIsTheGlobOfTheDirectoryAndWhatLiesBelow(RandomCase random) {
    String glob = glob(random);
    String path = path(random);
    int[] tokens = GlobTokens.of(glob);
    boolean expected = false;
    for (int end = 1; end <= path.length(); end++) {
      boolean whole = end == path.length() || path.charAt(end) == '/';
      expected |= whole && Pattern.matches(regex(glob), path.substring(0, end));
    }
    assertThat(new BitGlob(tokens, true).matches(path)).isEqualTo(expected);
    assertThat(new Glob.LongGlob(tokens, true).matches(path)).isEqualTo(expected);
  }

  @Test
  void aLongGlobIsALongGlob() {
    String part = "a*".repeat(40);
    assertThat(Glob.exactly(part)).isInstanceOf(Glob.LongGlob.class);
    assertThat(Glob.exactly(part).matches("ab".repeat(40))).isTrue();
    assertThat(Glob.tree("/x/" + part).matches("/x/" + "a".repeat(40) + "/b")).isTrue();
    assertThat(Glob.exactly(part).matches("a".repeat(39))).isFalse();
  }

  private static String glob(RandomCase random) {
    return String.join("", random.some(1, 8, "a", "b", "/", "?", "*", "**", "**/", "\u00e9"));
  }

  private static String path(RandomCase random) {
    return String.join("", random.some(1, 9, "a", "b", "/", "\u00e9", "\ud83d\ude00"));
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
