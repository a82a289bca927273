package dev.safeconduct.signing;

/** A private key in memory or in a security module; thread-safe. */
sealed interface SigningKey permits MemoryKey, ModuleKey {
  /** Returns the 64 bytes of the Ed25519 signature over the message. */
  byte[] sign(byte[] message);

  /** Returns whether the next signature is likely to succeed; cheap. */
  boolean works();
}
