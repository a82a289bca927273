package dev.safeconduct.policy.expression;

/**
 * One token of the source. A string's text has its escapes resolved; the column counts UTF-16 units
 * from 1.
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

  /** Returns the token as an error message shows it. */
  String shown() {
    return switch (kind) {
      case END -> "the end";
      case STRING -> "a string";
      case NAME, NUMBER, SYMBOL -> "'" + text + "'";
    };
  }
}
