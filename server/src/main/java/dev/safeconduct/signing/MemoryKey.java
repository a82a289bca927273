package dev.safeconduct.signing;

import dev.safeconduct.text.Spares;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;

/** A private key in this process's memory. */
final class MemoryKey implements SigningKey {
  private final Ed25519 ed25519;
  private final PrivateKey key;

  /** Initialised signature objects are expensive and not thread-safe. */
  private final Spares<Signature> idle = new Spares<>();

  MemoryKey(Ed25519 ed25519, PrivateKey key) {
    this.ed25519 = ed25519;
    this.key = key;
  }

  @Override
  public boolean works() {
    return true;
  }

  @Override
  public byte[] sign(byte[] message) {
    Signature signature = idle.take();
    if (signature == null) {
      signature = ed25519.signer(key);
    }
    try {
      signature.update(message);
      byte[] bytes = signature.sign();
      idle.giveBack(signature);
      return bytes;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("signing failed", e);
    }
  }
}
