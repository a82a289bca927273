package dev.safeconduct.console;

import dev.safeconduct.audit.tlog.Proofs;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.ProblemException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** Whether a record is in the log: its proof, checked here against the checkpoint's root. */
record Inclusion(boolean holds, String text) {
  static final Inclusion UNKNOWN = new Inclusion(false, "The log gives no proof right now.");

  /** Asks for the record's proof and checks it. */
  static Inclusion of(OpenPage page, String recordId) {
    try {
      return of(page.get("/api/audit/" + recordId + "/proof"));
    } catch (ProblemException _) {
      return UNKNOWN;
    }
  }

  /** Checks the proof as the contract answers it. */
  private static Inclusion of(JsonObject proof) {
    HexFormat hex = HexFormat.of();
    long index = Read.whole(proof, "index").orElse(-1L);
    Checkpoint checkpoint = Checkpoint.read(Read.text(proof, "checkpoint"));
    List<byte[]> path = Read.texts(proof, "inclusion_path").stream().map(hex::parseHex).toList();
    boolean holds =
        Proofs.includes(
            hex.parseHex(Read.text(proof, "leaf_hash")),
            index,
            checkpoint.size(),
            path,
            checkpoint.root());
    return new Inclusion(
        holds,
        holds
            ? "In the log at place "
                + Show.count(index)
                + ", proven by "
                + Show.count(path.size(), "hash", "hashes")
                + " under the checkpoint of "
                + Show.count(checkpoint.size())
                + " records."
            : "The proof does not lead to the checkpoint. Run safeconduct audit verify now.");
  }

  /** The size and the root a checkpoint's text names (C2SP tlog-checkpoint). */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Checkpoint(String origin, long size, byte[] root) {
    static Checkpoint read(String note) {
      String[] lines = note.split("\n", -1);
      return lines.length > 2 && lines[1].matches("[0-9]{1,18}")
          ? new Checkpoint(lines[0], Long.parseLong(lines[1]), Base64.getDecoder().decode(lines[2]))
          : new Checkpoint("", 0, new byte[0]);
    }
  }
}
