package dev.safeconduct.tlog;

import dev.safeconduct.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A text with signature lines below it (C2SP signed-note).
 *
 * @param text the signed text; ends with a line end
 */
public record SignedNote(String text, List<Line> lines) {
  /** The algorithm byte of plain Ed25519 over the text. */
  public static final byte ED25519 = 1;

  /** The algorithm byte of a witness's timestamped Ed25519 (C2SP tlog-cosignature). */
  public static final byte COSIGNATURE = 4;

  private static final int KEY_HASH = 4;
  private static final int MOST_LINES = 100;
  private static final String DASH = "— ";

  /**
   * One signature.
   *
   * @param name the signer
   * @param keyHash four bytes that identify the signer's key
   * @param signature the bytes after the key hash; 64 bytes for Ed25519
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Line(String name, byte[] keyHash, byte[] signature) {
    /** Returns whether both lines are by the same key, and are not the same. */
    public boolean differs(Line other) {
      return name.equals(other.name)
          && Arrays.equals(keyHash, other.keyHash)
          && !Arrays.equals(signature, other.signature);
    }

    String text() {
      byte[] both = Arrays.copyOf(keyHash, KEY_HASH + signature.length);
      System.arraycopy(signature, 0, both, KEY_HASH, signature.length);
      return DASH + name + " " + Base64.getEncoder().encodeToString(both) + "\n";
    }
  }

  public SignedNote {
    if (!text.endsWith("\n")) {
      throw new IllegalArgumentException("a note's text ends with a line end");
    }
    lines = List.copyOf(lines);
  }

  /** Returns the four bytes before a signature by the key. */
  public static byte[] keyHash(String name, byte algorithm, byte[] publicKey) {
    MessageDigest sha = Sha256.begin();
    sha.update((name + "\n").getBytes(StandardCharsets.UTF_8));
    sha.update(algorithm);
    return Arrays.copyOf(sha.digest(publicKey), KEY_HASH);
  }

  /** Returns the key in the format for verifiers: {@code name+hash+key}. */
  public static String verifierKey(String name, byte[] publicKey) {
    byte[] typed = ByteBuffer.allocate(1 + publicKey.length).put(ED25519).put(publicKey).array();
    return name
        + "+"
        + HexFormat.of().formatHex(keyHash(name, ED25519, publicKey))
        + "+"
        + Base64.getEncoder().encodeToString(typed);
  }

  /** Returns the whole note. */
  public String encoded() {
    var all = new StringBuilder(text).append('\n');
    lines.forEach(line -> all.append(line.text()));
    return all.toString();
  }

  /** Parses a note; empty when it is not valid. */
  public static Optional<SignedNote> parse(String note) {
    int gap = note.lastIndexOf("\n\n");
    // At least one signature follows the blank line; otherwise the note is not valid.
    if (gap < 0 || gap + 2 >= note.length() || !note.endsWith("\n")) {
      return Optional.empty();
    }
    var lines = new ArrayList<Line>();
    for (String line : note.substring(gap + 2, note.length() - 1).split("\n", -1)) {
      Optional<Line> read = line(line);
      if (read.isEmpty() || lines.size() == MOST_LINES) {
        return Optional.empty();
      }
      lines.add(read.get());
    }
    return Optional.of(new SignedNote(note.substring(0, gap + 1), lines));
  }

  private static Optional<Line> line(String line) {
    int space = line.lastIndexOf(' ');
    if (!line.startsWith(DASH) || space <= DASH.length()) {
      return Optional.empty();
    }
    try {
      byte[] both = Base64.getDecoder().decode(line.substring(space + 1));
      // Accepts only one encoding: the decoder ignores bits beyond the last byte.
      String again = Base64.getEncoder().encodeToString(both);
      return both.length <= KEY_HASH || !again.equals(line.substring(space + 1))
          ? Optional.empty()
          : Optional.of(
              new Line(
                  line.substring(DASH.length(), space),
                  Arrays.copyOf(both, KEY_HASH),
                  Arrays.copyOfRange(both, KEY_HASH, both.length)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Returns the bytes that an Ed25519 signature of this note covers. */
  public byte[] signedBytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
