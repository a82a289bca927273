package dev.safeconduct.audit.tlog;

import dev.safeconduct.digest.Sha256;
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
 * @param text what is signed; ends with a line end
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
   * @param name who signed
   * @param keyHash four bytes that tell which of the signer's keys
   * @param signature what follows the key hash; 64 bytes for Ed25519
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Line(String name, byte[] keyHash, byte[] signature) {
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

  /** Which four bytes stand before a signature by the key. */
  public static byte[] keyHash(String name, byte algorithm, byte[] publicKey) {
    MessageDigest sha = Sha256.begin();
    sha.update((name + "\n").getBytes(StandardCharsets.UTF_8));
    sha.update(algorithm);
    return Arrays.copyOf(sha.digest(publicKey), KEY_HASH);
  }

  /** The key as verifiers of notes take it: {@code name+hash+key}. */
  public static String verifierKey(String name, byte[] publicKey) {
    byte[] typed = ByteBuffer.allocate(1 + publicKey.length).put(ED25519).put(publicKey).array();
    return name
        + "+"
        + HexFormat.of().formatHex(keyHash(name, ED25519, publicKey))
        + "+"
        + Base64.getEncoder().encodeToString(typed);
  }

  /** The whole note. */
  public String encoded() {
    var all = new StringBuilder(text).append('\n');
    lines.forEach(line -> all.append(line.text()));
    return all.toString();
  }

  /** Reads a note; empty when it is not one. */
  public static Optional<SignedNote> parse(String note) {
    int gap = note.lastIndexOf("\n\n");
    // Behind the blank line stands at least one signature; else there is nothing to cut out.
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
      // One spelling: the decoder passes over bits beyond the last byte.
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

  /** The bytes an Ed25519 signature of this note covers. */
  public byte[] signedBytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
