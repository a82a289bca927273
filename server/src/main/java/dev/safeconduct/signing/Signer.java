package dev.safeconduct.signing;

import java.util.Base64;

/** Signs for one purpose with one key; thread-safe. */
public final class Signer {
  private final String kid;
  private final SigningKey key;
  private final byte[] publicKey;

  Signer(String keyId, SigningKey key, byte[] publicKey) {
    this.kid = SealedKey.PREFIX + keyId;
    this.publicKey = publicKey.clone();
    this.key = key;
  }

  /** Returns the key's name in decisions and in the key set: {@code oap:registry:<id>}. */
  public String kid() {
    return kid;
  }

  /** Returns the 32 bytes of RFC 8032. */
  public byte[] publicKey() {
    return publicKey.clone();
  }

  SigningKey key() {
    return key;
  }

  /** Returns the signature over the message as responses spell it: {@code ed25519:} and base64. */
  public String signText(byte[] message) {
    return "ed25519:" + Base64.getEncoder().encodeToString(sign(message));
  }

  /**
   * Returns the 64 bytes of the signature over the message.
   *
   * @throws dev.safeconduct.error.ProblemException when the key is in a security module that does
   *     not sign
   */
  public byte[] sign(byte[] message) {
    return key.sign(message);
  }
}
