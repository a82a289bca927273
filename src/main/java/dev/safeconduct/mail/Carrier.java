package dev.safeconduct.mail;

/** A way for letters to leave. */
public interface Carrier {
  /**
   * Hands the letter over.
   *
   * @param id tells it from all others; the same at every attempt
   * @throws CarriageFault when it is not known to have been taken
   */
  void carry(String id, Letter letter) throws CarriageFault;
}
