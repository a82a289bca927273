package dev.safeconduct.json;

import java.time.Instant;
import java.time.YearMonth;
import java.util.Optional;

/**
 * A date-time in packs: {@code YYYY-MM-DDThh:mm:ss[.fff](Z|±hh:mm)} with valid values and a zone,
 * the profile of RFC 3339 without leap seconds. A fraction has one to nine digits.
 */
public final class Timestamp {
  private static final int ZONE_OR_FRACTION = 19;
  private static final String SHAPE = "dddd-dd-ddTdd:dd:dd";

  private Timestamp() {}

  /** Returns the instant, exact to the nanosecond; empty when the text is not a valid date-time. */
  public static Optional<Instant> parse(String text) {
    if (text.length() <= ZONE_OR_FRACTION || !hasShape(text, 0, SHAPE)) {
      return Optional.empty();
    }
    int zone = endOfFraction(text);
    if (zone < 0 || zone == text.length()) {
      return Optional.empty();
    }
    int month = number(text, 5, 7);
    if (month < 1 || month > 12) {
      return Optional.empty();
    }
    YearMonth yearMonth = YearMonth.of(number(text, 0, 4), month);
    int day = number(text, 8, 10);
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, 19);
    if (!yearMonth.isValidDay(day) || hour > 23 || minute > 59 || second > 59) {
      return Optional.empty();
    }
    long local = yearMonth.atDay(day).toEpochDay() * 86_400 + hour * 3600L + minute * 60L + second;
    String fraction = zone == ZONE_OR_FRACTION ? "" : text.substring(ZONE_OR_FRACTION + 1, zone);
    long nanos = Long.parseLong((fraction + "000000000").substring(0, 9));
    return ahead(text, zone).map(ahead -> Instant.ofEpochSecond(local - ahead, nanos));
  }

  /** Returns the index of the zone; -1 when a fraction is malformed. */
  private static int endOfFraction(String text) {
    if (text.charAt(ZONE_OR_FRACTION) != '.') {
      return ZONE_OR_FRACTION;
    }
    int at = ZONE_OR_FRACTION + 1;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    int digits = at - ZONE_OR_FRACTION - 1;
    return digits >= 1 && digits <= 9 ? at : -1;
  }

  /** Returns the zone's offset from UTC in seconds; empty when it is not a valid zone. */
  private static Optional<Long> ahead(String text, int zone) {
    char sign = text.charAt(zone);
    if (sign == 'Z') {
      return text.length() == zone + 1 ? Optional.of(0L) : Optional.empty();
    }
    if ((sign != '+' && sign != '-')
        || text.length() != zone + 6
        || !hasShape(text, zone + 1, "dd:dd")) {
      return Optional.empty();
    }
    int hours = number(text, zone + 1, zone + 3);
    int minutes = number(text, zone + 4, zone + 6);
    if (hours > 23 || minutes > 59) {
      return Optional.empty();
    }
    long seconds = hours * 3600L + minutes * 60L;
    return Optional.of(sign == '+' ? seconds : -seconds);
  }

  private static boolean hasShape(String text, int start, String shape) {
    for (int i = 0; i < shape.length(); i++) {
      char c = text.charAt(start + i);
      if (shape.charAt(i) == 'd' ? !isDigit(c) : c != shape.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static int number(String text, int start, int end) {
    return Integer.parseInt(text, start, end, 10);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
