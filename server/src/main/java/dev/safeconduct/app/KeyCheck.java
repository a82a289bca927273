package dev.safeconduct.app;

import dev.safeconduct.audit.SignatureCheck;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.SealedKey;
import java.util.List;
import java.util.stream.Stream;

/** Checks signatures with the keys in the store, including retired keys. */
public record KeyCheck(List<SealedKey> keys, Ed25519 ed25519) implements SignatureCheck {
  @Override
  public boolean has(String kid) {
    return decisionKeys(kid).findAny().isPresent();
  }

  @Override
  public boolean decision(String kid, byte[] message, byte[] signature) {
    return decisionKeys(kid).anyMatch(key -> ed25519.verify(key.publicKey(), message, signature));
  }

  private Stream<SealedKey> decisionKeys(String kid) {
    return keys.stream().filter(key -> key.purpose() == Purpose.DECISION && kid.equals(key.kid()));
  }

  @Override
  public List<byte[]> checkpointKeys() {
    return keys.stream()
        .filter(key -> key.purpose() == Purpose.CHECKPOINT)
        .map(SealedKey::publicKey)
        .toList();
  }

  @Override
  public boolean holds(byte[] publicKey, byte[] message, byte[] signature) {
    return ed25519.verify(publicKey, message, signature);
  }
}
