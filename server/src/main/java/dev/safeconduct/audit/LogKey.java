package dev.safeconduct.audit;

/** The key that signs only checkpoints of the log. */
public interface LogKey {
  /** The 32-byte public key of RFC 8032. */
  byte[] publicKey();

  /** Returns the Ed25519 signature over the message. */
  byte[] sign(byte[] message);
}
