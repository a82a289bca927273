package dev.safeconduct.audit;

/** The key that signs checkpoints of the log, and nothing else. */
public interface LogKey {
  /** The 32 bytes of RFC 8032. */
  byte[] publicKey();

  /** The Ed25519 signature over the message. */
  byte[] sign(byte[] message);
}
