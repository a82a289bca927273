package dev.safeconduct.signing;

import java.nio.file.Path;

/** A secret at rest cannot be decrypted: the master key differs, or the store was altered. */
public final class WrongMasterKeyException extends Exception {
  private static final long serialVersionUID = 1L;

  private WrongMasterKeyException(Path missing) {
    super(
        missing
            + " is missing, and the store has keys sealed with the master key in it: put the file"
            + " back. None is made in its place.");
  }

  static WrongMasterKeyException missing(Path file) {
    return new WrongMasterKeyException(file);
  }

  WrongMasterKeyException(String label) {
    super(
        "The stored "
            + label
            + " cannot be opened: SAFECONDUCT_MASTER_KEY (or the master key file) is not the one"
            + " it was sealed with.");
  }
}
