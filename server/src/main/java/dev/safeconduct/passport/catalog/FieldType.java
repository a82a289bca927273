package dev.safeconduct.passport.catalog;

import java.util.Locale;

/** The type of a limit or of a capability's parameter, as the catalogue names it. */
public enum FieldType {
  STRING_LIST,
  PATH_LIST,
  PATH_PATTERN_LIST,
  DOMAIN_LIST,
  URL_LIST,
  /** A list of strings, or one comma-separated string. */
  CSV_LIST,
  /** Strings, or objects with an {@code id}. */
  RECIPIENT_LIST,
  OBJECT_LIST,
  /** A finite number that is not negative. */
  NUMBER,
  BOOLEAN,
  /** A requirement; off only when absent or false. */
  FLAG,
  TEXT,
  /** The name of an assurance level. */
  LEVEL,
  OBJECT,
  /** A map with any names and values of one form. */
  MAP;

  static FieldType of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
