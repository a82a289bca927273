package dev.safeconduct.client;

/** Everything this client throws on purpose, apart from faults of arguments. */
public abstract sealed class SafeconductException extends RuntimeException
    permits ActionDeniedException, ApiException, ServiceUnavailableException {
  private static final long serialVersionUID = 1;

  SafeconductException(String message) {
    super(message);
  }
}
