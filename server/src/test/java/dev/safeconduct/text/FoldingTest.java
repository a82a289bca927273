package dev.safeconduct.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FoldingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "plain text|plain text",
        "  Two   Words |two words",
        "tab\tand\u00a0hard\u2003space\u0085line|tab and hard space line",
        "su\u200bdo|sudo",
        "\u202esudo\u00ad|sudo",
        "a \u200b b|a b",
        "ｒｍ　－ｒｆ|rm -rf",
        "\ufb01le|file",
        "\u212aELVIN|kelvin",
        "e\u0301|\u00e9",
        "ÄÖ|äö",
        "\ud83d\ude00 X|\ud83d\ude00 x",
      })
  void folds(String text, String folded) {
    assertThat(Folding.fold(text)).isEqualTo(folded);
    assertThat(Folding.fold(folded)).isEqualTo(folded);
  }

  @Test
  void foldingNothingLeavesNothing() {
    assertThat(Folding.fold("")).isEmpty();
    assertThat(Folding.fold(" \t\u200b\u3000")).isEmpty();
  }

  @Test
  void aBlockKeyKeepsInnerSpacesAndFormatCharacters() {
    assertThat(Folding.blockKey("\u00a0 A  \u200bB ")).isEqualTo("a  \u200bb");
    assertThat(Folding.blockKey("\ufeff\u001cTrust\u0085\u001f")).isEqualTo("trust");
  }

  @Test
  void blockListsCompareFoldedAndKnowNoWildcard() {
    assertThat(Folding.blockKey(" Hot ")).isEqualTo(Folding.blockKey("hOT"));
    assertThat(Folding.blockKey("ｈｏｔ")).isEqualTo(Folding.blockKey("hot"));
    assertThat(Folding.blockKey("*")).isNotEqualTo(Folding.blockKey("hot"));
  }

  @Test
  void allowListsCompareExactly() {
    assertThat(Folding.admits(List.of("EUR"), "EUR")).isTrue();
    assertThat(Folding.admits(List.of("EUR"), "eur")).isFalse();
    assertThat(Folding.admits(List.of(" EUR"), "EUR")).isFalse();
    assertThat(Folding.admits(List.of("*"), "EUR")).isTrue();
    assertThat(Folding.admits(List.of(" *"), "EUR")).isFalse();
    assertThat(Folding.admits(List.of(""), "")).isFalse();
    assertThat(Folding.admits(List.of(), "EUR")).isFalse();
  }

  /** Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties, by ranges. */
  @ParameterizedTest
  @CsvSource({
    "ad,ad",
    "34f,34f",
    "61c,61c",
    "115f,1160",
    "17b4,17b5",
    "180b,180f",
    "200b,200f",
    "202a,202e",
    "2060,206f",
    "3164,3164",
    "fe00,fe0f",
    "feff,feff",
    "ffa0,ffa0",
    "fff0,fff8",
    "1bca0,1bca3",
    "1d173,1d17a",
    "e0000,e0fff"
  })
  void ignorableCharactersFoldToNothing(String first, String last) {
    for (int c = Integer.parseInt(first, 16); c <= Integer.parseInt(last, 16); c++) {
      assertThat(Folding.isIgnorable(c)).as(Integer.toHexString(c)).isTrue();
      assertThat(Folding.fold("su" + Character.toString(c) + "do")).isEqualTo("sudo");
    }
  }

  @Tag("timing")
  @Test
  void endlessCombiningMarksCostLinearTime() {
    String marks = "a" + "\u0301".repeat(500_000) + "\u0323".repeat(500_000);
    assertThat(WallClock.within(Duration.ofSeconds(5), () -> Folding.fold(marks))).isNotEmpty();
    assertThat(Folding.nfkc("a\u0301")).isEqualTo("\u00e1");
  }

  @Test
  void anExcerptIsShortAndOneLine() {
    assertThat(Excerpt.of("a\nb")).isEqualTo("\"a b\"");
    assertThat(Excerpt.of("x".repeat(1_000))).hasSize(Excerpt.MAX + 3).endsWith("x…\"");
    assertThat(Excerpt.of("x".repeat(Excerpt.MAX - 1) + "\ud83d\ude00")).endsWith("x…\"");
  }
}
