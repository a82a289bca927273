package dev.safeconduct.signing.pkcs11;

import java.io.IOException;

/** The security module cannot do what it was asked to; the message says why, in plain words. */
public final class ModuleFault extends IOException {
  private static final long serialVersionUID = 1L;

  public ModuleFault(String message) {
    super(message);
  }

  ModuleFault(String message, Throwable cause) {
    super(message, cause);
  }
}
