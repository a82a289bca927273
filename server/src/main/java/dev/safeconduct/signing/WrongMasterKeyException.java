package dev.safeconduct.signing;

import java.nio.file.Path;
import java.util.List;

/** A secret at rest cannot be decrypted: the master key differs, or the store was altered. */
public final class WrongMasterKeyException extends Exception {
  private static final long serialVersionUID = 1L;

  private WrongMasterKeyException(Path missing) {
    super(
        missing
            + " is missing, and the store has keys sealed with the master key in it: put the file"
            + " back. No new one is created.");
  }

  static WrongMasterKeyException missing(Path file) {
    return new WrongMasterKeyException(file);
  }

  private WrongMasterKeyException(List<String> faults) {
    super(
        "The table signing_key is not what this service wrote: "
            + String.join("; ", faults)
            + ". Somebody has altered the database. Put the rows back from a backup; audit verify"
            + " compares them with the log.");
  }

  static WrongMasterKeyException altered(List<String> faults) {
    return new WrongMasterKeyException(faults);
  }

  WrongMasterKeyException(String label) {
    super(
        "The stored "
            + label
            + " cannot be opened: SAFECONDUCT_MASTER_KEY (or the master key file) is not the one"
            + " it was sealed with.");
  }
}
