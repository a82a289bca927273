package dev.safeconduct.text;

/** The caller's text for use in a message: at most {@link #MAX} characters, one line. */
public final class Excerpt {
  public static final int MAX = 120;

  private Excerpt() {}

  /** Returns the text in quotes, with control characters as spaces, cut when it is long. */
  public static String of(String text) {
    int end = text.length();
    boolean cut = end > MAX;
    if (cut) {
      end = Character.isHighSurrogate(text.charAt(MAX - 1)) ? MAX - 1 : MAX;
    }
    var shown = new StringBuilder(end + 3).append('"');
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      shown.append(Character.isISOControl(c) ? ' ' : c);
    }
    return shown.append(cut ? "…\"" : "\"").toString();
  }
}
