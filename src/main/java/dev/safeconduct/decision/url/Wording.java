package dev.safeconduct.decision.url;

/** How a caller's text is shown in a message. */
final class Wording {
  private static final int MAX = 200;

  private Wording() {}

  /** The text in quotes, at most 200 characters of it, without control characters. */
  static String clip(String text) {
    int end = Math.min(text.length(), MAX);
    if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--; // half a pair has no UTF-8 form
    }
    var shown = new StringBuilder(end + 3).append('"');
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      shown.append(Character.isISOControl(c) ? '?' : c);
    }
    return shown.append(end < text.length() ? "…\"" : "\"").toString();
  }
}
