package dev.safeconduct.access;

/**
 * A new key with its text, which is shown once and never stored.
 *
 * @param text the credential itself
 */
public record MintedKey(ApiKey key, String text) {
  @Override
  public String toString() {
    return "MintedKey[" + key.id() + "]";
  }
}
