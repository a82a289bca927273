package dev.safeconduct.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TextSearchTest {
  /** Long enough for the linear search, over two letters so that partial matches abound. */
  @Test
  void theLinearSearchAgreesWithThePlatform() {
    var random = new Random(7);
    for (int round = 0; round < 300; round++) {
      String text = letters(random, 20_000);
      int start = random.nextInt(18_000);
      String part = text.substring(start, start + 60 + random.nextInt(100));
      String other = part.substring(0, part.length() - 1) + (round % 2 == 0 ? 'a' : 'c');
      int from = random.nextInt(text.length());
      assertThat(TextSearch.indexOf(text, part, 0)).isEqualTo(text.indexOf(part));
      assertThat(TextSearch.indexOf(text, part, from)).isEqualTo(text.indexOf(part, from));
      assertThat(TextSearch.indexOf(text, other, 0)).isEqualTo(text.indexOf(other));
    }
  }

  /** Short and long parts, in texts in which each is searched for alone and together. */
  @Test
  void someOfManyIsFoundWhereOneIs() {
    var random = new Random(8);
    for (int round = 0; round < 400; round++) {
      String text = letters(random, round % 2 == 0 ? 3_000 : 9_000).replace("bb", "é中");
      var parts = new ArrayList<String>();
      for (int i = 0; i < 5; i++) {
        int start = random.nextInt(2_000);
        String part = text.substring(start, start + 12 + random.nextInt(70));
        parts.add(random.nextInt(3) == 0 ? part : part.replaceFirst(".$", "c"));
      }
      Optional<String> found = TextSearch.anyOf(parts, text);
      assertThat(found.isPresent()).isEqualTo(parts.stream().anyMatch(text::contains));
      assertThat(text).contains(found.orElse(""));
    }
  }

  private static String letters(Random random, int length) {
    var text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(random.nextInt(8) == 0 ? 'b' : 'a');
    }
    return text.toString();
  }
}
