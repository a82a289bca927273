package dev.safeconduct.audit;

import java.util.List;

/** Recognizes payment card numbers, and social security numbers of the United States. */
final class CardNumber {
  private static final int LONGEST = 19;

  /** How many digits the groups of a card's number have. */
  private static final List<String> CARD_SHAPES = List.of("4444", "464", "465", "44443");

  /** The digits of a social security number. */
  private static final int SHORTEST = 9;

  private CardNumber() {}

  /** Returns the end of the number that begins there; the start if none does. */
  static int end(String text, int start) {
    if (!hasDigits(text, start)) {
      return start;
    }
    var digits = new StringBuilder(LONGEST);
    var groups = new StringBuilder(8);
    char separator = 0;
    int group = 0;
    int longest = start;
    int i = start;
    while (i < text.length() && digits.length() <= LONGEST) {
      char c = text.charAt(i);
      if (c >= '0' && c <= '9') {
        digits.append(c);
        group++;
        i++;
        if (i == text.length() || !isDigit(text.charAt(i))) {
          groups.append((char) ('0' + Math.min(group, 20)));
          if (isEnd(text, i) && isNumber(digits, groups)) {
            longest = i;
          }
        }
      } else if ((c == ' ' || c == '-')
          && (separator == 0 || separator == c)
          && i + 1 < text.length()
          && isDigit(text.charAt(i + 1))
          && group <= 6) {
        separator = c;
        group = 0;
        i++;
      } else {
        break;
      }
    }
    return longest;
  }

  /** Whether so many digits follow, with nothing between them but separators. */
  private static boolean hasDigits(String text, int start) {
    int digits = 0;
    int i = start;
    while (i < text.length() && digits < SHORTEST) {
      char c = text.charAt(i++);
      if (isDigit(c)) {
        digits++;
      } else if (c != ' ' && c != '-') {
        break;
      }
    }
    return digits == SHORTEST;
  }

  private static boolean isNumber(CharSequence digits, CharSequence groups) {
    return "324".contentEquals(groups)
        ? isSocialSecurity(digits)
        : isCardShape(groups) && isCard(digits);
  }

  private static boolean isCardShape(CharSequence groups) {
    for (String shape : CARD_SHAPES) {
      if (shape.contentEquals(groups)) {
        return true;
      }
    }
    return groups.length() == 1;
  }

  /** Whether issuer and length fit and the check digit is right. */
  static boolean isCard(CharSequence digits) {
    return isIssued(digits) && isLuhn(digits);
  }

  private static boolean isIssued(CharSequence digits) {
    int length = digits.length();
    if (length < 14 || length > LONGEST) {
      return false;
    }
    int four = Integer.parseInt(digits, 0, 4, 10);
    int two = four / 100;
    return switch (two / 10) {
      case 4 -> length == 16 || length == 19;
      case 5 -> length == 16 && two >= 51 && two <= 55;
      case 2 -> length == 16 && four >= 2221 && four <= 2720;
      case 3 ->
          switch (two) {
            case 34, 37 -> length == 15;
            case 35 -> length == 16 && four >= 3528 && four <= 3589;
            case 36, 38 -> length == 14;
            default -> length == 14 && four >= 3000 && four <= 3059;
          };
      case 6 -> length >= 16 && (two == 62 || two == 64 || two == 65 || four == 6011);
      default -> false;
    };
  }

  private static boolean isLuhn(CharSequence digits) {
    int sum = 0;
    for (int i = 0; i < digits.length(); i++) {
      int digit = digits.charAt(digits.length() - 1 - i) - '0';
      int weighted = i % 2 == 0 ? digit : 2 * digit;
      sum += weighted > 9 ? weighted - 9 : weighted;
    }
    return sum % 10 == 0;
  }

  private static boolean isSocialSecurity(CharSequence digits) {
    int area = Integer.parseInt(digits, 0, 3, 10);
    return digits.length() == 9 && area > 0 && area != 666 && area < 900;
  }

  private static boolean isEnd(String text, int i) {
    return i == text.length()
        || !(Character.isLetterOrDigit(text.charAt(i)) || text.charAt(i) == '_');
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
