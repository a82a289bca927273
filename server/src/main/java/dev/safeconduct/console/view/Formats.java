package dev.safeconduct.console.view;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Formats ids, times and numbers. */
public final class Formats {
  private static final int SHORT_ID = 18;
  private static final Pattern PART_END = Pattern.compile("(?<=[._])");

  private Formats() {}

  /** Shortens an id for a table to its beginning and its end. */
  public static String id(String id) {
    return id.length() <= SHORT_ID ? id : id.substring(0, 9) + "…" + id.substring(id.length() - 6);
  }

  /** Shortens text to fit on one line. */
  public static String clip(String text, int max) {
    if (text.codePointCount(0, text.length()) <= max) {
      return text;
    }
    return text.substring(0, text.offsetByCodePoints(0, max - 1)) + "…";
  }

  /**
   * Returns the words of a name such as {@code allowed_commands}, each with what separates it from
   * the next.
   */
  public static List<String> parts(String name) {
    return List.of(PART_END.split(name));
  }

  /** Encodes a path segment or a query value of a URL. */
  public static String url(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Formats a count with thin spaces between thousands. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number).replace(',', '\u202f');
  }

  /** Formats a count with its noun. */
  public static String count(long number, String one, String many) {
    return count(number) + " " + (number == 1 ? one : many);
  }

  /** Returns the text with its first letter in upper case. */
  public static String sentence(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  /** Returns the text in upper case, in any language. */
  static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }

  /** Returns {@code snake_case} and {@code dotted.names} as words. */
  public static String words(String name) {
    return name.replace('_', ' ').replace('.', ' ').strip();
  }

  /**
   * Returns a value for people: text without quotes, a list of texts joined, other values as JSON.
   */
  public static String plain(JsonValue value) {
    return switch (value) {
      case JsonString(String text) -> text;
      case JsonArray list when !list.isEmpty() && list.texts().size() == list.size() ->
          String.join(", ", list.texts());
      default -> Json.text(value);
    };
  }

  /**
   * A time and its distance from now.
   *
   * @param clock the time of day in UTC, with the date if it is another day
   */
  public record When(String exact, String ago, String clock) {}

  /** Returns the time in a text; the text unchanged if it is not a valid time. */
  public static When when(String text, Instant now) {
    return IsoInstant.parse(text)
        .map(at -> new When(text, ago(Duration.between(at, now)), clock(at, now)))
        .orElseGet(() -> new When("", text, text));
  }

  private static String clock(Instant at, Instant now) {
    String text = at.truncatedTo(ChronoUnit.SECONDS).toString();
    return text.regionMatches(0, now.toString(), 0, 10)
        ? text.substring(11, 19)
        : text.substring(0, 10) + " " + text.substring(11, 19);
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
