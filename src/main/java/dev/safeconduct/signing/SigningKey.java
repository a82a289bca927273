package dev.safeconduct.signing;

/** A private key, wherever it is; safe for any number of threads. */
sealed interface SigningKey permits MemoryKey, ModuleKey {
  /** The 64 bytes of the Ed25519 signature over the message. */
  byte[] sign(byte[] message);

  /** Whether the next signature is likely to be made; costs nothing. */
  boolean works();
}
