package dev.safeconduct.mail;

/** An email could not be sent. */
public final class MailTransportException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean forGood;

  /**
   * Creates the exception.
   *
   * @param forGood whether every further attempt would fail in the same way
   */
  MailTransportException(String message, boolean forGood, Throwable cause) {
    super(message, cause);
    this.forGood = forGood;
  }

  MailTransportException(String message) {
    super(message);
    this.forGood = false;
  }

  boolean isForGood() {
    return forGood;
  }
}
