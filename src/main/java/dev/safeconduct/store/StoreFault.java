package dev.safeconduct.store;

/** The store cannot be opened; the message says what to mend. */
public final class StoreFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoreFault(String message, Throwable cause) {
    super(message, cause);
  }

  StoreFault(String message) {
    super(message);
  }
}
