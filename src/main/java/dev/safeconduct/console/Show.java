package dev.safeconduct.console;

import dev.safeconduct.json.IsoInstant;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** How ids, times and numbers look. */
public final class Show {
  private static final int SHORT_ID = 18;

  private Show() {}

  /** An id short enough for a table: its beginning and its end. */
  public static String id(String id) {
    return id.length() <= SHORT_ID ? id : id.substring(0, 9) + "…" + id.substring(id.length() - 6);
  }

  /** Text of any length, cut for one line. */
  public static String clip(String text, int max) {
    if (text.codePointCount(0, text.length()) <= max) {
      return text;
    }
    return text.substring(0, text.offsetByCodePoints(0, max - 1)) + "…";
  }

  /** A segment or a value of an address. */
  public static String url(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** A count with thin spaces between thousands. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number).replace(',', '\u202f');
  }

  /** A count with its noun. */
  public static String count(long number, String one, String many) {
    return count(number) + " " + (number == 1 ? one : many);
  }

  /** The first letter made big, as a sentence begins. */
  public static String sentence(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  /** {@code snake_case} and {@code dotted.names} as words. */
  public static String words(String name) {
    return name.replace('_', ' ').replace('.', ' ').strip();
  }

  /** A moment beside its distance from now. */
  public record When(String exact, String ago) {}

  /** The moment a text names; shown as it is when it names none. */
  public static When when(String text, Instant now) {
    return IsoInstant.parse(text)
        .map(at -> new When(text, ago(Duration.between(at, now))))
        .orElseGet(() -> new When("", text));
  }

  private static String ago(Duration since) {
    boolean ahead = since.isNegative();
    long seconds = since.abs().toSeconds();
    if (seconds < 5) {
      return "now";
    }
    String span =
        seconds < 60
            ? seconds + " s"
            : seconds < 3600
                ? seconds / 60 + " min"
                : seconds < 172_800 ? seconds / 3600 + " h" : seconds / 86_400 + " days";
    return ahead ? "in " + span : span + " ago";
  }
}
