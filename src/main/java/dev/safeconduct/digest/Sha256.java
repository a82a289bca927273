package dev.safeconduct.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 (FIPS 180-4). */
public final class Sha256 {
  /** Bytes of every hash. */
  public static final int BYTES = 32;

  /** Copied for each use: to look one up among the providers takes as long as to hash a text. */
  private static final MessageDigest FRESH = fresh();

  private Sha256() {}

  /** One that has seen nothing yet, for what comes in parts. */
  public static MessageDigest begin() {
    try {
      return (MessageDigest) FRESH.clone();
    } catch (CloneNotSupportedException e) {
      return fresh(); // a provider may leave it out
    }
  }

  /** The hash of the bytes. */
  public static byte[] of(byte[] bytes) {
    return begin().digest(bytes);
  }

  /** The hash of the bytes in 64 lower-case hex digits. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(of(bytes));
  }

  private static MessageDigest fresh() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
