package dev.safeconduct.client;

/** An answer of the service, or a document, that does not have its documented form. */
final class InvalidAnswer extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  InvalidAnswer(String message) {
    super(message);
  }
}
