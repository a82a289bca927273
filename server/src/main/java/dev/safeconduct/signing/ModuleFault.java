package dev.safeconduct.signing;

import java.io.IOException;

/** An operation of the security module has failed; the message has the reason in plain words. */
public final class ModuleFault extends IOException {
  private static final long serialVersionUID = 1L;

  public ModuleFault(String message) {
    super(message);
  }

  public ModuleFault(String message, Throwable cause) {
    super(message, cause);
  }
}
