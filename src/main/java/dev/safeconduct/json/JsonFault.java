package dev.safeconduct.json;

/** Text that is not acceptable JSON; the message says what and where, fit for the caller. */
public final class JsonFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean grammatical;

  public JsonFault(String message) {
    this(message, false);
  }

  private JsonFault(String message, boolean grammatical) {
    super(message, null, false, false);
    this.grammatical = grammatical;
  }

  /** A fault of a text that other parsers take: too deep, a member twice, half a character. */
  static JsonFault ofOurs(String message) {
    return new JsonFault(message, true);
  }

  /** Whether another parser may read a value from the text. */
  public boolean isReadableElsewhere() {
    return grammatical;
  }
}
