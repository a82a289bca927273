package dev.safeconduct.policy.expression;

/**
 * One word of the source. A string's text is what it stands for, with its escapes undone; the
 * column counts UTF-16 units from 1.
 */
record Token(Kind kind, String text, double number, int column) {
  enum Kind {
    NAME,
    NUMBER,
    STRING,
    SYMBOL,
    END
  }

  boolean is(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  /** The token as an error message shows it. */
  String shown() {
    return switch (kind) {
      case END -> "the end";
      case STRING -> "a string";
      case NAME, NUMBER, SYMBOL -> "'" + text + "'";
    };
  }
}
