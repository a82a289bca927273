package dev.safeconduct.signing;

import java.util.List;
import java.util.Optional;

/** Where sealed keys and other small sealed or hashed secrets are kept, shared by all nodes. */
public interface Vault {
  List<SealedKey> signingKeys();

  /** Adds the key unless its purpose already has one that is not retired; says whether it did. */
  boolean addFirst(SealedKey key);

  /** A named value (already sealed or hashed). */
  Optional<byte[]> find(String name);

  /** Keeps the value unless the name has one; says whether it did. */
  boolean putIfAbsent(String name, byte[] value);
}
