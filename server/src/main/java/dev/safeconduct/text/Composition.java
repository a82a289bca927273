package dev.safeconduct.text;

import java.text.Normalizer;

/**
 * Unicode normalization in linear time. Sorting a run of combining marks into canonical order takes
 * quadratic time, so a run is cut every {@link #LONGEST_RUN} marks. The bound of Unicode's
 * Stream-Safe Text Format (UAX 15 section 13) is 30, and no writing system comes near it.
 */
final class Composition {
  static final int LONGEST_RUN = 32;

  private Composition() {}

  static String nfkc(String text) {
    int cut = nextCut(text, 0);
    if (cut == text.length()) {
      return Normalizer.normalize(text, Normalizer.Form.NFKC);
    }
    var composed = new StringBuilder(text.length());
    for (int from = 0; from < text.length(); ) {
      composed.append(Normalizer.normalize(text.substring(from, cut), Normalizer.Form.NFKC));
      from = cut;
      cut = nextCut(text, from);
    }
    return composed.toString();
  }

  private static int nextCut(String text, int from) {
    int run = 0;
    for (int i = from; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      run = isMark(c) ? run + 1 : 0;
      if (run == LONGEST_RUN) {
        return i;
      }
    }
    return text.length();
  }

  private static boolean isMark(int c) {
    return switch (Character.getType(c)) {
      case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK ->
          true;
      default -> false;
    };
  }
}
