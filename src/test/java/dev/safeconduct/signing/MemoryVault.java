package dev.safeconduct.signing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A vault without a database. */
final class MemoryVault implements Vault {
  private final List<SealedKey> keys = new ArrayList<>();
  private final Map<String, byte[]> values = new HashMap<>();

  @Override
  public List<SealedKey> signingKeys() {
    return List.copyOf(keys);
  }

  @Override
  public boolean addFirst(SealedKey key) {
    if (keys.stream().anyMatch(k -> k.purpose() == key.purpose() && k.retiredAt().isEmpty())) {
      return false;
    }
    return keys.add(key);
  }

  @Override
  public Optional<byte[]> find(String name) {
    return Optional.ofNullable(values.get(name));
  }

  @Override
  public boolean putIfAbsent(String name, byte[] value) {
    return values.putIfAbsent(name, value) == null;
  }
}
