package dev.safeconduct.cli;

/** Why a command did nothing, as a sentence for the person at the terminal. */
final class HookFault extends Exception {
  private static final long serialVersionUID = 1;

  HookFault(String message) {
    super(message);
  }

  /** Returns the sentence. */
  String text() {
    return String.valueOf(getMessage());
  }
}
