package dev.safeconduct.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The canonical form of JSON (RFC 8785), over which Safeconduct signs and computes digests. */
public final class Canonical {
  private static final HexFormat HEX = HexFormat.of();
  private static final int MAX_DEPTH = 100;
  private static final double EXACT = 1L << 53;

  /** The types of numbers whose double is that of their JSON text. */
  private static final Set<Class<? extends Number>> NUMBERS =
      Set.of(
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class);

  private Canonical() {}

  /**
   * Returns the canonical form in UTF-8 of a value of maps, lists, strings, numbers, booleans and
   * null.
   *
   * @throws IllegalArgumentException if it has none: a number beyond a double, a lone surrogate,
   *     more than 100 levels, or a type that JSON does not have
   */
  public static byte[] of(@Nullable Object value) {
    var out = new StringBuilder();
    write(value, 0, out);
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns {@code sha256:} and the hexadecimal SHA-256 of the canonical form. */
  public static String digest(@Nullable Object value) {
    return "sha256:" + HEX.formatHex(sha256(of(value)));
  }

  static byte[] sha256(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(part);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** Writes what JSON has as it is; Jackson first makes that of any other type. */
  private static void write(@Nullable Object value, int depth, StringBuilder out) {
    if (depth >= MAX_DEPTH && (value instanceof List || value instanceof Map)) {
      throw new IllegalArgumentException("it has more than " + MAX_DEPTH + " levels");
    }
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof String text) {
      writeText(text, out);
    } else if (value instanceof Number number && NUMBERS.contains(number.getClass())) {
      out.append(number(number.doubleValue()));
    } else if (value instanceof List<?> list) {
      String before = "[";
      for (Object item : list) {
        out.append(before);
        write(item, depth + 1, out);
        before = ",";
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value instanceof Map<?, ?> map
        && map.keySet().stream().allMatch(String.class::isInstance)) {
      // Strings compare by UTF-16 code units, as RFC 8785 section 3.2.3 wants.
      String before = "{";
      for (Map.Entry<String, @Nullable Object> member :
          new TreeMap<>(Json.object(map)).entrySet()) {
        out.append(before);
        writeText(member.getKey(), out);
        out.append(':');
        write(member.getValue(), depth + 1, out);
        before = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else {
      write(Json.parse(Json.write(value)), depth, out);
    }
  }

  private static void writeText(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\b' -> out.append("\\b");
        case '\t' -> out.append("\\t");
        case '\n' -> out.append("\\n");
        case '\f' -> out.append("\\f");
        case '\r' -> out.append("\\r");
        default -> {
          if (c < ' ') {
            out.append("\\u00").append(HEX.toHexDigits((byte) c));
          } else if (!Character.isSurrogate(c)) {
            out.append(c);
          } else if (Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1))) {
            out.append(c).append(text.charAt(++i));
          } else {
            throw new IllegalArgumentException("a string has a lone surrogate");
          }
        }
      }
    }
    out.append('"');
  }

  /** Writes a number as ECMAScript does (RFC 8785 section 3.2.2.3). */
  private static String number(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a number is too large for a double");
    }
    if (value == 0) {
      return "0";
    }
    if (value < 0) {
      return "-" + number(-value);
    }
    if (value < EXACT && value == Math.rint(value)) {
      return Long.toString((long) value);
    }
    BigDecimal shortest = shortest(value).stripTrailingZeros();
    String digits = shortest.unscaledValue().toString();
    // The value is 0.DIGITS times ten to the power of point.
    int point = digits.length() - shortest.scale();
    if (digits.length() <= point && point <= 21) {
      return digits + "0".repeat(point - digits.length());
    }
    if (0 < point && point <= 21) {
      return digits.substring(0, point) + "." + digits.substring(point);
    }
    if (-6 < point && point <= 0) {
      return "0." + "0".repeat(-point) + digits;
    }
    return digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (point > 0 ? "e+" : "e-")
        + Math.abs(point - 1);
  }

  /**
   * Returns the decimal with the fewest digits that reads as the double; of several the nearest
   * one, and the even one of two equally near. {@code Double.toString} writes more digits than
   * needed before JDK 19.
   */
  private static BigDecimal shortest(double value) {
    var exact = new BigDecimal(value);
    for (int digits = 1; ; digits++) {
      int scale = digits - (exact.precision() - exact.scale());
      BigDecimal below = exact.setScale(scale, RoundingMode.FLOOR);
      BigDecimal above = exact.setScale(scale, RoundingMode.CEILING);
      int nearer = exact.subtract(below).compareTo(above.subtract(exact));
      boolean nearBelow = nearer < 0 || (nearer == 0 && !below.unscaledValue().testBit(0));
      for (BigDecimal each : nearBelow ? List.of(below, above) : List.of(above, below)) {
        if (each.doubleValue() == value) {
          return each;
        }
      }
    }
  }
}
