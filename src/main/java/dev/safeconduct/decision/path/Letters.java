package dev.safeconduct.decision.path;

import dev.safeconduct.text.Folding;
import java.util.Locale;

/** Lower case letter by letter, so that a letter's neighbours never change the outcome. */
final class Letters {
  private Letters() {}

  static String lower(String text) {
    if (Folding.isAscii(text)) {
      return text.toLowerCase(Locale.ROOT);
    }
    var lower = new StringBuilder(text.length());
    text.codePoints().map(Character::toLowerCase).forEach(lower::appendCodePoint);
    return lower.toString();
  }
}
