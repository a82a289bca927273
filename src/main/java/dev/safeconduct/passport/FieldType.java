package dev.safeconduct.passport;

import java.util.Locale;

/** The type of a limit or of a capability's parameter, as the catalogue names it. */
enum FieldType {
  STRING_LIST,
  PATH_LIST,
  PATH_PATTERN_LIST,
  DOMAIN_LIST,
  URL_LIST,
  /** A list of strings, or one string with commas. */
  CSV_LIST,
  /** Strings, or objects with an {@code id}. */
  RECIPIENT_LIST,
  OBJECT_LIST,
  /** Finite and not negative. */
  NUMBER,
  BOOLEAN,
  /** A demand; off only when absent or false. */
  FLAG,
  TEXT,
  /** The name of an assurance level. */
  LEVEL,
  OBJECT,
  /** Any names, each with a value of one form. */
  MAP;

  static FieldType of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
