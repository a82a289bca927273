package dev.safeconduct.signing;

import java.util.Map;
import java.util.function.Supplier;

/** Checks signatures of one purpose's keys. */
public final class Verifier {
  private final Ed25519 ed25519;
  private final Supplier<Map<String, byte[]>> publicKeys;

  Verifier(Ed25519 ed25519, Supplier<Map<String, byte[]>> publicKeys) {
    this.ed25519 = ed25519;
    this.publicKeys = publicKeys;
  }

  /** Returns whether the kid is a trusted key of the purpose. */
  public boolean knows(String kid) {
    return publicKeys.get().containsKey(kid);
  }

  /** Returns whether a trusted key of the purpose with this kid has signed the message. */
  public boolean verify(String kid, byte[] message, byte[] signature) {
    byte[] key = publicKeys.get().get(kid);
    return key != null && ed25519.verify(key, message, signature);
  }
}
