package dev.safeconduct.json;

/** Text that is not acceptable JSON; the message has the cause and the location, for the caller. */
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

  /** Creates a fault that other parsers accept: too deep, a duplicate member, NaN. */
  static JsonFault ofOurs(String message) {
    return new JsonFault(message, true);
  }

  /** Returns whether another parser may read a value from the text. */
  public boolean isReadableElsewhere() {
    return grammatical;
  }
}
