package dev.safeconduct.audit;

/** Checks Ed25519 signatures by the service's published keys. */
public interface SignatureCheck {
  /** Whether the key of that {@code kid} made the signature over the message. */
  boolean decision(String kid, byte[] message, byte[] signature);

  /** Whether a checkpoint key made the signature over the note's text. */
  boolean checkpoint(String name, byte[] keyHash, byte[] text, byte[] signature);

  /** Whether the key, which is somebody else's, made the signature over the message. */
  boolean witness(byte[] publicKey, byte[] message, byte[] signature);
}
