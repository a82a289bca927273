package dev.safeconduct.mail;

/** A letter could not be handed over. */
public final class CarriageFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean forGood;

  /**
   * @param forGood whether the same will happen however often it is tried
   */
  CarriageFault(String message, boolean forGood, Throwable cause) {
    super(message, cause);
    this.forGood = forGood;
  }

  CarriageFault(String message) {
    super(message);
    this.forGood = false;
  }

  boolean isForGood() {
    return forGood;
  }
}
