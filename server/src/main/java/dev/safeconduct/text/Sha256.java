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

  /** For hashes in one step: a copy takes 400 bytes. */
  private static final Spares<MessageDigest> SPARES = new Spares<>();

  private static final byte[] NONE = {};

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
    return of(bytes, 0, bytes.length);
  }

  /** Returns the hash of a part of the bytes. */
  public static byte[] of(byte[] bytes, int start, int count) {
    return of(NONE, bytes, start, count);
  }

  /** Returns the hash of the bytes, one after the other. */
  public static byte[] of(byte[] first, byte[] second) {
    return of(first, second, 0, second.length);
  }

  private static byte[] of(byte[] first, byte[] second, int start, int count) {
    MessageDigest spare = SPARES.take();
    MessageDigest digest = spare == null ? begin() : spare;
    digest.update(first);
    digest.update(second, start, count);
    byte[] hash = digest.digest();
    SPARES.giveBack(digest);
    return hash;
  }

  /** Returns the hash of the bytes in 64 lower-case hex digits. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(of(bytes));
  }

  /** Returns the hash of a part of the bytes in 64 lower-case hex digits. */
  public static String hex(byte[] bytes, int start, int count) {
    return HexFormat.of().formatHex(of(bytes, start, count));
  }

  private static MessageDigest fresh() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
