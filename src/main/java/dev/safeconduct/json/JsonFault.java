package dev.safeconduct.json;

/** Text that is not acceptable JSON; the message says what and where, fit for the caller. */
public final class JsonFault extends Exception {
  private static final long serialVersionUID = 1L;

  public JsonFault(String message) {
    super(message, null, false, false);
  }
}
