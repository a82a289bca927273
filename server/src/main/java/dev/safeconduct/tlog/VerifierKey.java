package dev.safeconduct.tlog;

import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A key of signed notes in the format for verifiers (C2SP signed-note): {@code name+hash+base64}.
 *
 * @param algorithm {@link SignedNote#ED25519} or {@link SignedNote#COSIGNATURE}
 * @param key 32 bytes of RFC 8032
 */
@SuppressWarnings("ArrayRecordComponent") // compared by its text
public record VerifierKey(String name, byte algorithm, byte[] key) {
  private static final int KEY_BYTES = 32;

  /** Parses a key; empty when it is not valid, or its hash belongs to another key. */
  public static Optional<VerifierKey> parse(String text) {
    String[] parts = text.split("\\+", 3); // base64 itself may contain plus signs
    if (parts.length != 3 || parts[0].isEmpty() || !parts[0].matches("[^\\s+]{1,255}")) {
      return Optional.empty();
    }
    try {
      byte[] typed = Base64.getDecoder().decode(parts[2]);
      if (typed.length != 1 + KEY_BYTES) {
        return Optional.empty();
      }
      var key = new VerifierKey(parts[0], typed[0], Arrays.copyOfRange(typed, 1, typed.length));
      boolean known =
          key.algorithm() == SignedNote.ED25519 || key.algorithm() == SignedNote.COSIGNATURE;
      return known && HexFormat.of().formatHex(key.hash()).equals(parts[1])
          ? Optional.of(key)
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Returns the four bytes before its signatures. */
  public byte[] hash() {
    return SignedNote.keyHash(name, algorithm, key);
  }

  /** Returns the text that {@link #parse} reads. */
  public String text() {
    byte[] typed = new byte[1 + key.length];
    typed[0] = algorithm;
    System.arraycopy(key, 0, typed, 1, key.length);
    return name
        + "+"
        + HexFormat.of().formatHex(hash())
        + "+"
        + Base64.getEncoder().encodeToString(typed);
  }
}
