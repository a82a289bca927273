package dev.safeconduct.decision.shell;

/**
 * A word of a closed line.
 *
 * @param text without quotes; a variable stands as {@code $NAME}
 * @param variable whether it holds a variable
 * @param wildcard whether it holds a wildcard that the shell expands
 */
record Word(String text, boolean variable, boolean wildcard) {
  static Word literal(String text) {
    return new Word(text, false, false);
  }

  /** Whether the shell may make other words of it. */
  boolean expands() {
    return variable || wildcard;
  }
}
