package dev.safeconduct.audit;

import dev.safeconduct.signing.Signer;
import dev.safeconduct.text.Sha256;
import dev.safeconduct.tlog.SignedNote;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The description of an export's content, as the text of a signed note. Its first line is not the
 * log's name, so that it cannot be mistaken for a checkpoint.
 *
 * @param origin the log's name
 * @param selection the requested records
 * @param records the number of lines with records
 * @param size of the log at the export
 * @param root of the tree at that size
 * @param sha256 of the file, 64 hex digits
 */
@SuppressWarnings("ArrayRecordComponent") // written out, never compared
public record ExportManifest(
    String origin, String selection, long records, long size, byte[] root, String sha256) {
  private static final String HEAD = "safeconduct-export/v1\n";
  private static final String SHA = "sha256 ";

  /** Returns the text of six lines. */
  public String text() {
    return HEAD
        + origin
        + "\nselection "
        + selection
        + "\nrecords "
        + records
        + "\ntree "
        + size
        + " "
        + Base64.getEncoder().encodeToString(root)
        + "\n"
        + SHA
        + sha256
        + "\n";
  }

  /** Returns whether no record of the log was left out on purpose. */
  public boolean selectsAll() {
    return selection.endsWith(" org_id=*");
  }

  /** Returns a signed note (C2SP signed-note) with a line for each key. */
  public String signed(List<Signer> keys) {
    var unsigned = new SignedNote(text(), List.of());
    var lines = new ArrayList<SignedNote.Line>();
    for (Signer key : keys) {
      byte[] hash = SignedNote.keyHash(origin, SignedNote.ED25519, key.publicKey());
      lines.add(new SignedNote.Line(origin, hash, key.sign(unsigned.signedBytes())));
    }
    return new SignedNote(text(), lines).encoded();
  }

  public static Optional<ExportManifest> parse(String text) {
    String[] lines = text.split("\n", -1);
    if (!text.startsWith(HEAD) || lines.length != 7 || !lines[5].startsWith(SHA)) {
      return Optional.empty();
    }
    try {
      String[] tree = lines[4].split(" ", -1);
      return Optional.of(
          new ExportManifest(
              lines[1],
              lines[2].substring("selection ".length()),
              Long.parseLong(lines[3].substring("records ".length())),
              Long.parseLong(tree[1]),
              Base64.getDecoder().decode(tree[2]),
              lines[5].substring(SHA.length())));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  /** Returns the SHA-256 of a file, in hex. */
  public static String digest(Path file) throws IOException {
    MessageDigest sha = Sha256.begin();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[64 * 1024];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        sha.update(buffer, 0, read);
      }
    }
    return HexFormat.of().formatHex(sha.digest());
  }
}
