package dev.safeconduct.passport;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.Locale;
import java.util.Optional;

/**
 * Which values of a limit are narrower than others, as the catalogue says or the type implies.
 *
 * @param direction where narrower values lie
 * @param absence what a missing value means
 * @param standard the value a missing one stands for, where it stands for one
 * @param entries when one entry of a list covers another
 * @param emptyIsAll whether an empty list restricts nothing
 * @param qualifies the field whose reach this one restricts; empty text for none
 */
record Narrows(
    Direction direction,
    Absence absence,
    Optional<JsonValue> standard,
    Entries entries,
    boolean emptyIsAll,
    String qualifies) {

  /** Where narrower values lie. */
  enum Direction {
    /** Smaller numbers, fewer entries, earlier choices. */
    LESS,
    /** Greater numbers, more entries, higher levels. */
    MORE,
    /** Nowhere: only the same value is no wider. */
    SAME,
    TRUE,
    FALSE
  }

  /** What a missing value means. */
  enum Absence {
    /** It restricts nothing. */
    ANY,
    /** It allows nothing. */
    NONE,
    /** Something else of the passport decides in its place, so it can only stay missing. */
    OTHER
  }

  /** When one entry of a list of what is allowed covers another. */
  enum Entries {
    EXACT,
    /** The beginning of a command covers longer ones. */
    COMMAND,
    /** {@code *} is any run of characters. */
    GLOB,
    /** The beginning of a name covers longer ones. */
    PREFIX,
    PATH,
    DOMAIN
  }

  /** Reads what the catalogue says of a field. */
  static Narrows read(String name, FieldType type, JsonObject field) {
    boolean needed = field.isTrue("required") || field.has("required_when");
    return new Narrows(
        field
            .string("narrower")
            .map(word -> Direction.valueOf(word.toUpperCase(Locale.ROOT)))
            .orElseGet(() -> usual(name, type, field)),
        field
            .string("absent")
            .map(word -> Absence.valueOf(word.toUpperCase(Locale.ROOT)))
            .orElse(needed ? Absence.NONE : Absence.ANY),
        type == FieldType.FLAG
            ? Optional.of(JsonBoolean.FALSE)
            : Optional.ofNullable(field.get("absent_as")),
        field
            .string("entries")
            .map(word -> Entries.valueOf(word.toUpperCase(Locale.ROOT)))
            .orElse(usual(type)),
        field.string("empty").equals(Optional.of("any")),
        field.string("qualifies").orElse(""));
  }

  private static Direction usual(String name, FieldType type, JsonObject field) {
    return switch (type) {
      case FLAG -> Direction.TRUE;
      case LEVEL -> Direction.MORE;
      case TEXT -> field.has("choices") ? Direction.LESS : Direction.SAME;
      case BOOLEAN ->
          throw new IllegalArgumentException(
              "the catalogue must say which of two is narrower: " + name);
      case NUMBER,
          STRING_LIST,
          PATH_LIST,
          PATH_PATTERN_LIST,
          DOMAIN_LIST,
          URL_LIST,
          CSV_LIST,
          RECIPIENT_LIST,
          OBJECT_LIST,
          OBJECT,
          MAP ->
          Direction.LESS;
    };
  }

  private static Entries usual(FieldType type) {
    return switch (type) {
      case PATH_LIST -> Entries.PATH;
      case DOMAIN_LIST -> Entries.DOMAIN;
      default -> Entries.EXACT;
    };
  }
}
