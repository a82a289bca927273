package dev.safeconduct.decision.path;

import dev.safeconduct.text.Folding;
import java.util.Locale;

/** Converts text to lower case letter by letter, so that adjacent letters do not matter. */
final class CaseFold {
  private CaseFold() {}

  static String lower(String text) {
    if (Folding.isAscii(text)) {
      return text.toLowerCase(Locale.ROOT);
    }
    var lower = new StringBuilder(text.length());
    text.codePoints().map(Character::toLowerCase).forEach(lower::appendCodePoint);
    return lower.toString();
  }
}
