package dev.safeconduct.signing;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All keys of the vault at one time, decrypted. */
final class OpenKeys {
  private final List<SealedKey> kept;
  private final Map<Purpose, Signer> signers = new EnumMap<>(Purpose.class);
  private final Map<Purpose, Map<String, byte[]>> good = new EnumMap<>(Purpose.class);
  private final List<Signer> log = new ArrayList<>();

  /**
   * Opens the keys that sign.
   *
   * @throws WrongMasterKeyException when they were sealed under another master key
   * @throws IllegalStateException when a purpose has no key, or its key needs a security module and
   *     there is none
   */
  OpenKeys(List<SealedKey> kept, PrivateKeys material) throws WrongMasterKeyException {
    this.kept = List.copyOf(kept);
    for (Purpose purpose : Purpose.values()) {
      var publicKeys = new HashMap<String, byte[]>();
      for (SealedKey key : kept) {
        if (key.purpose() == purpose && key.revokedAt().isEmpty()) {
          publicKeys.put(key.kid(), key.publicKey());
          boolean current = key.retiredAt().isEmpty();
          if (current || purpose == Purpose.CHECKPOINT) {
            Signer signer = material.open(key);
            if (current) {
              signers.put(purpose, signer);
            }
            if (purpose == Purpose.CHECKPOINT) {
              log.add(current ? 0 : log.size(), signer);
            }
          }
        }
      }
      if (!signers.containsKey(purpose)) {
        throw new IllegalStateException("there is no key for " + purpose.wire());
      }
      good.put(purpose, Map.copyOf(publicKeys));
    }
  }

  List<SealedKey> kept() {
    return kept;
  }

  Signer signer(Purpose purpose) {
    Signer signer = signers.get(purpose);
    if (signer == null) {
      throw new IllegalStateException("no key for " + purpose.wire());
    }
    return signer;
  }

  /** Returns the checkpoint keys that were not revoked, the current one first. */
  List<Signer> log() {
    return List.copyOf(log);
  }

  /** Returns the public keys of a purpose that were not revoked, by kid. */
  Map<String, byte[]> good(Purpose purpose) {
    return good.getOrDefault(purpose, Map.of());
  }
}
