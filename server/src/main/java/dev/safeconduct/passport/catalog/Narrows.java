package dev.safeconduct.passport.catalog;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.Locale;
import java.util.Optional;

/**
 * Defines which values of a limit are narrower than others, by the catalogue or by type.
 *
 * @param direction the direction of narrower values
 * @param absence the meaning of a missing value
 * @param standard the value that a missing one defaults to, if any
 * @param entries when one entry of a list covers another
 * @param emptyIsAll whether an empty list restricts nothing
 * @param qualifies the field whose scope this one restricts; empty for none
 */
public record Narrows(
    Direction direction,
    Absence absence,
    Optional<JsonValue> standard,
    Entries entries,
    boolean emptyIsAll,
    String qualifies) {
  /** The direction of narrower values. */
  public enum Direction {
    /** Smaller numbers, fewer entries, earlier choices. */
    LESS,
    /** Greater numbers, more entries, higher levels. */
    MORE,
    /** No direction: only an equal value is allowed. */
    SAME,
    TRUE,
    FALSE
  }

  /** The meaning of a missing value. */
  public enum Absence {
    /** A missing value restricts nothing. */
    ANY,
    /** A missing value allows nothing. */
    NONE,
    /** Another part of the passport decides instead, so the value must stay missing. */
    OTHER
  }

  /** When one entry of an allow list covers another. */
  public enum Entries {
    EXACT,
    /** A command prefix covers longer commands. */
    COMMAND,
    /** {@code *} matches any run of characters. */
    GLOB,
    /** A name prefix covers longer names. */
    PREFIX,
    PATH,
    DOMAIN,
    /** {@code *} covers public servers by URL, {@code mcp:*} those by name. */
    SERVER
  }

  /** Reads the catalogue's description of a field. */
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
        field.text("qualifies"));
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
