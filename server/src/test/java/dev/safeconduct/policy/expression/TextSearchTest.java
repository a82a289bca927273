package dev.safeconduct.policy.expression;

import static org.assertj.core.api.Assertions.assertThat;

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

  private static String letters(Random random, int length) {
    var text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(random.nextInt(8) == 0 ? 'b' : 'a');
    }
    return text.toString();
  }
}
