package dev.safeconduct.feed;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The feeds that rules of packs read (pack catalogue 12 and 14). */
enum KnownFeed {
  /** An exchange's id to one word. Trading is allowed only while the word is online. */
  EXCHANGE_STATUS("exchange_status", "a word of a-z and _ such as online or maintenance"),
  /** An exchange's id to open or closed. */
  MARKET_HOURS("market_hours", "open or closed"),
  /** A data source's id to its score. */
  SOURCE_REPUTATION("source_reputation", "a number that is not negative");

  private static final Pattern WORD = Pattern.compile("[a-z_]{1,32}");

  private final String wire;
  private final String form;

  KnownFeed(String wire, String form) {
    this.wire = wire;
    this.form = form;
  }

  String wire() {
    return wire;
  }

  static Optional<KnownFeed> parse(String name) {
    return Arrays.stream(values()).filter(feed -> feed.wire.equals(name)).findFirst();
  }

  /** Returns all names, for the error message about an unknown name. */
  static String names() {
    return Arrays.stream(values()).map(KnownFeed::wire).collect(Collectors.joining(", "));
  }

  /**
   * Refuses a value that no rule can evaluate.
   *
   * @param path of the value in the request
   */
  void check(String path, JsonValue value) {
    boolean fits =
        switch (this) {
          case EXCHANGE_STATUS ->
              value instanceof JsonString word && WORD.matcher(word.value()).matches();
          case MARKET_HOURS ->
              value instanceof JsonString(String word)
                  && (word.equals("open") || word.equals("closed"));
          case SOURCE_REPUTATION -> value instanceof JsonNumber score && score.value() >= 0;
        };
    if (!fits) {
      throw ProblemException.invalid(path, path + " must be " + form + ".");
    }
  }
}
