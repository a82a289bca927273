package dev.safeconduct.text;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 (FIPS 180-4). */
public final class Sha256 {
  /** The length of every hash in bytes. */
  public static final int BYTES = 32;

  /** Copied for each use: a lookup among the providers takes as long as hashing a text. */
  private static final MessageDigest FRESH = fresh();

  private Sha256() {}

  /** Returns a new digest for data in several parts. */
  public static MessageDigest begin() {
    try {
      return (MessageDigest) FRESH.clone();
    } catch (CloneNotSupportedException e) {
      return fresh(); // a provider may not support it
    }
  }

  /** Returns the hash of the bytes. */
  public static byte[] of(byte[] bytes) {
    return begin().digest(bytes);
  }

  /** Returns the hash of the bytes in 64 lower-case hex digits. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(of(bytes));
  }

  /** Returns the hash of a part of the bytes in 64 lower-case hex digits. */
  public static String hex(byte[] bytes, int start, int count) {
    MessageDigest digest = begin();
    digest.update(bytes, start, count);
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest fresh() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
