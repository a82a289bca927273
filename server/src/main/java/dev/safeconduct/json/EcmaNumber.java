package dev.safeconduct.json;

import java.math.BigDecimal;
import java.math.MathContext;

/** Writes numbers as ECMAScript does (ECMA-262 Number::toString), which RFC 8785 prescribes. */
final class EcmaNumber {
  private EcmaNumber() {}

  /** Returns whether the number, or its {@code -0}, is written as a {@code long} is. */
  static boolean isWhole(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15;
  }

  /** Returns the text of a number that is not {@link #isWhole}. */
  static String format(double value) {
    // Double.toString gives the shortest digits (since JDK 19), only in another layout.
    String shortest = Double.toString(Math.abs(value));
    if (Math.abs(value) < Double.MIN_NORMAL) {
      shortest = oneDigitIfEnough(Math.abs(value), shortest);
    }
    int e = shortest.indexOf('E');
    String mantissa = e < 0 ? shortest : shortest.substring(0, e);
    int exponent = e < 0 ? 0 : Integer.parseInt(shortest.substring(e + 1));
    int dot = mantissa.indexOf('.');
    String digits = mantissa.substring(0, dot) + mantissa.substring(dot + 1);
    int point = dot + exponent;
    int leading = 0;
    while (leading < digits.length() - 1 && digits.charAt(leading) == '0') {
      leading++;
    }
    int end = digits.length();
    while (end > leading + 1 && digits.charAt(end - 1) == '0') {
      end--;
    }
    String text = layout(digits.substring(leading, end), point - leading);
    return value < 0 ? "-" + text : text;
  }

  /** Double.toString writes at least two digits; for the smallest numbers one can be enough. */
  private static String oneDigitIfEnough(double value, String shortest) {
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(1));
    if (rounded.doubleValue() != value) {
      return shortest;
    }
    return rounded.unscaledValue() + ".0E" + -rounded.scale();
  }

  /** The digits with the decimal point {@code n} places after their start, ECMA-262 steps 6-10. */
  private static String layout(String digits, int n) {
    int k = digits.length();
    if (k <= n && n <= 21) {
      return digits + "0".repeat(n - k);
    }
    if (0 < n && n <= 21) {
      return digits.substring(0, n) + "." + digits.substring(n);
    }
    if (-6 < n && n <= 0) {
      return "0." + "0".repeat(-n) + digits;
    }
    int exponent = n - 1;
    String sign = exponent < 0 ? "-" : "+";
    String head = k == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
    return head + "e" + sign + Math.abs(exponent);
  }
}
