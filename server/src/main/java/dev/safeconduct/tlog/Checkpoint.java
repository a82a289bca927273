package dev.safeconduct.tlog;

import java.util.Base64;
import java.util.Optional;

/**
 * The state of a log at one time (C2SP tlog-checkpoint): the text that is signed.
 *
 * @param origin the log's name, which never changes
 * @param size the number of leaves
 * @param root the tree's root at that size, 32 bytes
 */
@SuppressWarnings("ArrayRecordComponent") // compared by its text
public record Checkpoint(String origin, long size, byte[] root) {
  /** Returns three lines, each with its line end. */
  public String text() {
    return origin + "\n" + size + "\n" + Base64.getEncoder().encodeToString(root) + "\n";
  }

  /** Parses the text of a checkpoint; further lines are extensions and ignored. */
  public static Optional<Checkpoint> parse(String text) {
    String[] lines = text.split("\n", -1);
    if (lines.length < 4 || lines[0].isEmpty() || !lines[1].matches("0|[1-9][0-9]{0,17}")) {
      return Optional.empty();
    }
    try {
      byte[] root = Base64.getDecoder().decode(lines[2]);
      return root.length == TreeHash.BYTES
          ? Optional.of(new Checkpoint(lines[0], Long.parseLong(lines[1]), root))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
