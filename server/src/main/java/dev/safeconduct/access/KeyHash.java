package dev.safeconduct.access;

import dev.safeconduct.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The SHA-256 of a credential, which is stored instead of the credential. */
public final class KeyHash {
  private final byte[] bytes;

  private KeyHash(byte[] bytes) {
    this.bytes = bytes;
  }

  public static KeyHash of(String credential) {
    return new KeyHash(Sha256.of(credential.getBytes(StandardCharsets.UTF_8)));
  }

  /** A stored hash; 32 bytes. */
  public static KeyHash stored(byte[] bytes) {
    if (bytes.length != Sha256.BYTES) {
      throw new IllegalArgumentException("a SHA-256 has 32 bytes");
    }
    return new KeyHash(bytes.clone());
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  /** Compares in constant time, so that the duration reveals nothing about a wrong guess. */
  public boolean matches(KeyHash other) {
    return MessageDigest.isEqual(bytes, other.bytes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeyHash hash && matches(hash);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "KeyHash[hidden]";
  }
}
