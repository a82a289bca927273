package dev.safeconduct.signing;

/** A secret at rest does not open: the master key is another one, or the store was altered. */
public final class WrongMasterKeyException extends Exception {
  private static final long serialVersionUID = 1L;

  WrongMasterKeyException(String label) {
    super(
        "The stored "
            + label
            + " cannot be opened: SAFECONDUCT_MASTER_KEY (or the master key file) is not the one"
            + " it was sealed with.");
  }
}
