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

  /** Returns the message about a text that no request carried, such as {@code The file}. */
  public String about(String text) {
    return String.valueOf(getMessage())
        .replaceFirst("^The body is empty; send", text + " is empty; write")
        .replaceFirst("^The body", text);
  }

  /** Returns whether another parser may read a value from the text. */
  public boolean isReadableElsewhere() {
    return grammatical;
  }
}
