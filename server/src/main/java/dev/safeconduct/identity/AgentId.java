package dev.safeconduct.identity;

import dev.safeconduct.text.Folding;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * An agent's id. A hosted passport has {@code ap_} and 32 lower-case hex digits, or its imported
 * id. A passport in a request body may have any text of 1 to 128 characters.
 */
public record AgentId(String value) {
  public static final int MAX_LENGTH = 128;

  public AgentId {
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("an agent id has 1 to 128 characters");
    }
  }

  /**
   * Returns the id of a hosted agent, with the UUID form converted to {@code ap_}; empty if the
   * text is not a valid id.
   */
  public static Optional<AgentId> hosted(String text) {
    if (isUuid(text)) {
      return Optional.of(new AgentId("ap_" + text.replace("-", "").toLowerCase(Locale.ROOT)));
    }
    return fits(text) ? Optional.of(new AgentId(text)) : Optional.empty();
  }

  /**
   * Returns the form in which all spellings of an id are equal: for a UUID in any form {@code ap_}
   * and 32 lower-case hex digits, for other texts what they show, in lower case.
   */
  public static String fold(String text) {
    if (isCanonical(text)) {
      return text; // as nearly always
    }
    var shown = new StringBuilder(text.length());
    Folding.nfkc(text)
        .codePoints()
        .filter(
            c -> !Folding.isIgnorable(c) && !Folding.isWhiteSpace(c) && !Character.isISOControl(c))
        .forEach(shown::appendCodePoint);
    String folded = shown.toString().toLowerCase(Locale.ROOT);
    String digits =
        without("ap-", without("ap_", bare(without("uuid:", without("urn:", folded)))))
            .replace("-", "")
            .replace("_", "");
    return digits.length() == 32 && digits.chars().allMatch(HexFormat::isHexDigit)
        ? "ap_" + digits
        : folded;
  }

  /**
   * Whether the text is in a spelling that clients use for UUIDs: {@code ap_} and 32 hex digits, or
   * a UUID with four hyphens.
   */
  public static boolean isPlain(String text) {
    return isUuid(text) || (text.startsWith("ap_") && isCanonical(text.toLowerCase(Locale.ROOT)));
  }

  /** Whether the text is {@code ap_} and 32 lower-case hex digits. */
  public static boolean isCanonical(String text) {
    if (text.length() != 35 || !text.startsWith("ap_")) {
      return false;
    }
    for (int i = 3; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
        return false;
      }
    }
    return true;
  }

  private static String without(String start, String text) {
    return text.startsWith(start) ? text.substring(start.length()) : text;
  }

  /** Returns the text without a pair of brackets or quotes around it. */
  private static String bare(String text) {
    int last = text.length() - 1;
    if (last < 1) {
      return text;
    }
    char first = text.charAt(0);
    boolean paired =
        switch (text.charAt(last)) {
          case '}' -> first == '{';
          case ')' -> first == '(';
          default -> isQuote(first) && isQuote(text.charAt(last));
        };
    return paired ? text.substring(1, last) : text;
  }

  /** Whether the character is a quotation mark that NFKC leaves as it is, or a backtick. */
  private static boolean isQuote(char c) {
    return "\"'`\u00ab\u00bb\u2039\u203a\u2e42".indexOf(c) >= 0
        || (c >= '\u2018' && c <= '\u201f')
        || (c >= '\u300c' && c <= '\u300f')
        || (c >= '\u301d' && c <= '\u301f');
  }

  /**
   * Matches {@code [A-Za-z0-9_-]{1,128}}; without a regular expression, as every request needs it.
   */
  private static boolean fits(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= MAX_LENGTH;
  }

  /** Matches hex digits in groups of 8, 4, 4, 4 and 12. */
  private static boolean isUuid(String text) {
    if (text.length() != 36) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (dash ? c != '-' : !HexFormat.isHexDigit(c)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return value;
  }
}
