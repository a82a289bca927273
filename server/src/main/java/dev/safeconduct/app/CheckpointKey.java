package dev.safeconduct.app;

import dev.safeconduct.audit.LogKey;
import dev.safeconduct.signing.Signer;

/** The checkpoint key of the key ring, as the log's signing key. */
public record CheckpointKey(Signer signer) implements LogKey {
  @Override
  public byte[] publicKey() {
    return signer.publicKey();
  }

  @Override
  public byte[] sign(byte[] message) {
    return signer.sign(message);
  }
}
