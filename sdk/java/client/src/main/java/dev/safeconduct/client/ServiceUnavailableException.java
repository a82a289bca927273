package dev.safeconduct.client;

import org.jspecify.annotations.Nullable;

/** The service did not give a valid answer in time. */
public final class ServiceUnavailableException extends SafeconductException {
  private static final long serialVersionUID = 1;

  private final @Nullable Integer status;

  ServiceUnavailableException(String message, @Nullable Integer status) {
    super(message);
    this.status = status;
  }

  /** Returns the HTTP status; null if there was no answer. */
  public @Nullable Integer status() {
    return status;
  }
}
