package dev.safeconduct.audit;

/** Verifies Ed25519 signatures with the service's published keys. */
public interface SignatureCheck {
  /** Returns whether the key of that {@code kid} made the signature over the message. */
  boolean decision(String kid, byte[] message, byte[] signature);

  /** Returns whether a checkpoint key made the signature over the note's text. */
  boolean checkpoint(String name, byte[] keyHash, byte[] text, byte[] signature);

  /** Returns whether the given foreign key made the signature over the message. */
  boolean witness(byte[] publicKey, byte[] message, byte[] signature);
}
