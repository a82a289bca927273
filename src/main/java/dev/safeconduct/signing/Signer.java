package dev.safeconduct.signing;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Base64;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Signs for one purpose with one key; safe for any number of threads. */
public final class Signer {
  private final String keyId;
  private final Ed25519 ed25519;
  private final PrivateKey key;
  private final byte[] publicKey;

  /** Initialised signature objects are dear to make and belong to one thread at a time. */
  private final ConcurrentLinkedQueue<Signature> idle = new ConcurrentLinkedQueue<>();

  Signer(String keyId, Ed25519 ed25519, PrivateKey key, byte[] publicKey) {
    this.keyId = keyId;
    this.publicKey = publicKey.clone();
    this.ed25519 = ed25519;
    this.key = key;
  }

  /** The key's name in decisions and in the key set: {@code oap:registry:<id>}. */
  public String kid() {
    return SealedKey.PREFIX + keyId;
  }

  /** The 32 bytes of RFC 8032. */
  public byte[] publicKey() {
    return publicKey.clone();
  }

  /** The signature over the message as answers spell it: {@code ed25519:} and base64. */
  public String signText(byte[] message) {
    return "ed25519:" + Base64.getEncoder().encodeToString(sign(message));
  }

  /** The 64 bytes of the signature over the message. */
  public byte[] sign(byte[] message) {
    Signature signature = idle.poll();
    if (signature == null) {
      signature = ed25519.signer(key);
    }
    try {
      signature.update(message);
      byte[] bytes = signature.sign();
      idle.offer(signature);
      return bytes;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("signing failed", e);
    }
  }
}
