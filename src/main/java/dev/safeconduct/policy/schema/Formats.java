package dev.safeconduct.policy.schema;

import dev.safeconduct.json.Timestamp;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The named formats a context schema may ask for: dates here, others brought by the engine. */
public final class Formats {
  private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

  private final Map<String, Predicate<String>> further;

  /** {@code further} checks by their {@code x-format} name. */
  public Formats(Map<String, Predicate<String>> further) {
    this.further = Map.copyOf(further);
  }

  Optional<Predicate<String>> named(String name) {
    return switch (name) {
      case "date" -> Optional.of(Formats::isDate);
      case "date-time" -> Optional.of(text -> Timestamp.parse(text).isPresent());
      default -> Optional.ofNullable(further.get(name));
    };
  }

  /** A real calendar day as {@code YYYY-MM-DD}. */
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
