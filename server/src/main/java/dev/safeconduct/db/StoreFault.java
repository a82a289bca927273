package dev.safeconduct.db;

/** The store cannot be opened; the message says how to fix it. */
public final class StoreFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoreFault(String message, Throwable cause) {
    super(message, cause);
  }

  public StoreFault(String message) {
    super(message);
  }
}
