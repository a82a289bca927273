package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.tlog.Proofs;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** The result of checking a record's inclusion proof against the checkpoint's root. */
public record Inclusion(boolean holds, String text) {
  static final Inclusion UNKNOWN = new Inclusion(false, "The proof is not available now.");

  /** Requests the record's proof and checks it. */
  public static Inclusion of(OpenPage page, String recordId) {
    try {
      return of(page.get("/api/audit/" + recordId + "/proof"));
    } catch (ProblemException _) {
      return UNKNOWN;
    }
  }

  /** Checks the proof as the API returns it. */
  private static Inclusion of(JsonObject proof) {
    HexFormat hex = HexFormat.of();
    long index = proof.whole("index").orElse(-1L);
    Checkpoint checkpoint = Checkpoint.read(proof.text("checkpoint"));
    List<byte[]> path = proof.texts("inclusion_path").stream().map(hex::parseHex).toList();
    boolean holds =
        Proofs.includes(
            hex.parseHex(proof.text("leaf_hash")),
            index,
            checkpoint.size(),
            path,
            checkpoint.root());
    return new Inclusion(
        holds,
        holds
            ? "In the log at index %s, proven by %s under the checkpoint of %s records."
                .formatted(
                    Formats.count(index),
                    Formats.count(path.size(), "hash", "hashes"),
                    Formats.count(checkpoint.size()))
            : "The proof does not match the checkpoint. Run safeconduct audit verify now.");
  }

  /** The size and the root in a checkpoint's text (C2SP tlog-checkpoint). */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Checkpoint(long size, byte[] root) {
    public static Checkpoint read(String note) {
      String[] lines = note.split("\n", -1);
      return lines.length > 2 && lines[1].matches("[0-9]{1,18}")
          ? new Checkpoint(Long.parseLong(lines[1]), Base64.getDecoder().decode(lines[2]))
          : new Checkpoint(0, new byte[0]);
    }
  }
}
