package dev.safeconduct.policy.schema;

import dev.safeconduct.json.Timestamp;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The named formats a context schema may use: dates from this class, others from the engine. */
public final class StringFormats {
  private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

  private final Map<String, Predicate<String>> further;

  /** Creates the formats; {@code further} are checks by their {@code x-format} name. */
  public StringFormats(Map<String, Predicate<String>> further) {
    this.further = Map.copyOf(further);
  }

  Optional<Predicate<String>> named(String name) {
    return switch (name) {
      case "date" -> Optional.of(StringFormats::isDate);
      case "date-time" -> Optional.of(text -> Timestamp.parse(text).isPresent());
      default -> Optional.ofNullable(further.get(name));
    };
  }

  /** Returns whether the text is a valid calendar day in the form {@code YYYY-MM-DD}. */
  public static boolean isDate(String text) {
    if (!DATE.matcher(text).matches()) {
      return false;
    }
    try {
      LocalDate.parse(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }
}
