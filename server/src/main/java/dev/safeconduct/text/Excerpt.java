package dev.safeconduct.text;

/** A caller's text in a message, or the beginning of it. */
public final class Excerpt {
  /** The most characters of a text in quotes. */
  public static final int MAX = 120;

  private Excerpt() {}

  /** Returns the text in quotes, with control characters as spaces, cut when it is long. */
  public static String of(String text) {
    String cut = clip(text, MAX);
    var shown = new StringBuilder(cut.length() + 2).append('"');
    for (int i = 0; i < cut.length(); i++) {
      char c = cut.charAt(i);
      shown.append(Character.isISOControl(c) ? ' ' : c);
    }
    return shown.append('"').toString();
  }

  /** Returns the text, or what {@link #start} keeps of it and an ellipsis. */
  public static String clip(String text, int most) {
    return text.length() <= most ? text : start(text, most) + "…";
  }

  /**
   * Returns the beginning of the text, at most so many UTF-16 units long. A pair of surrogates is
   * not divided: half of one has no UTF-8 form.
   */
  public static String start(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
  }
}
