package dev.safeconduct.access;

/**
 * A key just made, with its text, which is shown this once and kept nowhere.
 *
 * @param text the credential itself
 */
public record MintedKey(ApiKey key, String text) {
  @Override
  public String toString() {
    return "MintedKey[" + key.id() + "]";
  }
}
