package dev.safeconduct.policy.expression;

import java.time.LocalDate;
import java.time.YearMonth;
import java.util.OptionalDouble;

/**
 * A date-time of the packs: {@code YYYY-MM-DDThh:mm:ss[.fff](Z|±hh:mm)} with valid values and a
 * zone, the profile of RFC 3339 without leap seconds. A fraction has one to nine digits.
 */
final class Timestamp {
  private static final int ZONE_OR_FRACTION = 19;
  private static final String SHAPE = "dddd-dd-ddTdd:dd:dd";

  private Timestamp() {}

  /** Seconds since the epoch; empty when the text is no such date-time. */
  static OptionalDouble seconds(String text) {
    if (text.length() <= ZONE_OR_FRACTION || !hasShape(text, 0, SHAPE)) {
      return OptionalDouble.empty();
    }
    int zone = endOfFraction(text);
    if (zone < 0 || zone == text.length()) {
      return OptionalDouble.empty();
    }
    int month = number(text, 5, 7);
    if (month < 1 || month > 12) {
      return OptionalDouble.empty();
    }
    YearMonth yearMonth = YearMonth.of(number(text, 0, 4), month);
    int day = number(text, 8, 10);
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, 19);
    if (!yearMonth.isValidDay(day) || hour > 23 || minute > 59 || second > 59) {
      return OptionalDouble.empty();
    }
    LocalDate date = yearMonth.atDay(day);
    double utc = date.toEpochDay() * 86_400d + hour * 3600 + minute * 60 + second;
    double fraction =
        zone == ZONE_OR_FRACTION ? 0 : Double.parseDouble(text.substring(ZONE_OR_FRACTION, zone));
    return offset(text, zone, utc + fraction);
  }

  /** Where the zone begins; -1 when a fraction is malformed. */
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

  private static OptionalDouble offset(String text, int zone, double local) {
    char sign = text.charAt(zone);
    if (sign == 'Z') {
      return text.length() == zone + 1 ? OptionalDouble.of(local) : OptionalDouble.empty();
    }
    if ((sign != '+' && sign != '-')
        || text.length() != zone + 6
        || !hasShape(text, zone + 1, "dd:dd")) {
      return OptionalDouble.empty();
    }
    int hours = number(text, zone + 1, zone + 3);
    int minutes = number(text, zone + 4, zone + 6);
    if (hours > 23 || minutes > 59) {
      return OptionalDouble.empty();
    }
    double ahead = hours * 3600 + minutes * 60;
    return OptionalDouble.of(sign == '+' ? local - ahead : local + ahead);
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
