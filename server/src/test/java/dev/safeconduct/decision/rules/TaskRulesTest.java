package dev.safeconduct.decision.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What counts as a word of a summary. */
final class TaskRulesTest {
  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "'',0",
        "' \t\n',0",
        "one,1",
        "' one  two\u3000three\u2028four\u0085five ',5",
        "one-two\u200bthree,1",
        "'one \u200b \u2060 two \u200d',2",
        "'😀 . -',3"
      })
  void words(String text, int words) {
    assertThat(TaskRules.words(text)).isEqualTo(words);
  }
}
