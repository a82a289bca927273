package dev.safeconduct.json;

import dev.safeconduct.error.Problem;
import dev.safeconduct.text.Excerpt;

/** Checks and cuts text from callers before it is shown to people. */
final class Texts {
  private static final int SHOWN = 100;

  private Texts() {}

  static String line(String path, String text, int max) {
    String stripped = text.strip();
    if (stripped.isEmpty()) {
      throw Problem.invalid(path, path + " must not be empty.").toException();
    }
    return checked(path, stripped, max, false);
  }

  static String prose(String path, String text, int max) {
    return checked(path, text.strip(), max, true);
  }

  /** Returns the text cut to a length for an error message. */
  static String clip(String text) {
    return Excerpt.clip(text, SHOWN);
  }

  private static String checked(String path, String text, int max, boolean breaksAllowed) {
    if (text.codePointCount(0, text.length()) > max) {
      throw Problem.invalid(path, path + " must have at most " + max + " characters.")
          .toException();
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean lineBreak = c == '\n' || c == '\r' || c == '\t';
      if (reorders(c) || (Character.isISOControl(c) && !(breaksAllowed && lineBreak))) {
        throw Problem.invalid(path, path + " holds a control character.").toException();
      }
    }
    return text;
  }

  /** Matches bidirectional controls, which make a name look like another one. */
  private static boolean reorders(char c) {
    return (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
  }
}
