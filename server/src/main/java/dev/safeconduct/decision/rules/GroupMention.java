package dev.safeconduct.decision.rules;

import dev.safeconduct.text.Folding;
import java.util.List;

/** A mention of a whole group in any spelling (pack catalogue 7, rule 7). */
final class GroupMention {
  private static final List<String> WORDS = List.of("everyone", "here", "channel", "all");
  private static final List<String> AT_WORDS = WORDS.stream().map(word -> "@" + word).toList();
  private static final List<String> MARKUP = List.of("<!everyone", "<!here", "<!channel");

  private GroupMention() {}

  /** Whether a text contains a group mention. */
  static boolean isIn(String text) {
    return standsIn(Folding.fold(text));
  }

  /** Whether an entry of the list of mentions contains one, or is one of the bare words. */
  static boolean isMeantBy(String mention) {
    String folded = Folding.fold(mention);
    return WORDS.contains(folded) || standsIn(folded);
  }

  private static boolean standsIn(String folded) {
    return MARKUP.stream().anyMatch(folded::contains)
        || AT_WORDS.stream().anyMatch(word -> standsAlone(folded, word));
  }

  private static boolean standsAlone(String text, String word) {
    for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      int end = at + word.length();
      if ((at == 0 || !isWordCharacter(text.charAt(at - 1)))
          && (end == text.length() || !isWordCharacter(text.charAt(end)))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
}
