package dev.safeconduct.app;

import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.audit.verify.StoredLog;
import dev.safeconduct.signing.Vault;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.SignedNote;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The log's name in its checkpoints: the service's address at first start, without the scheme (C2SP
 * tlog-tiles). The name never changes, because a log under another name is another log.
 */
public final class LogOrigin {
  private static final String NAME = StoredLog.LOG_ORIGIN;

  private LogOrigin() {}

  /** Returns the stored name, for commands that only read the log. */
  public static Optional<String> kept(LogReader reader) {
    return reader.value(NAME).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /**
   * Returns the stored name; the first start stores it.
   *
   * @throws IllegalStateException when the newest kept checkpoint has another name, or cannot be
   *     read
   */
  static String of(Vault vault, MerkleLog log, URI baseUrl) {
    String path = baseUrl.getPath() == null ? "" : baseUrl.getPath().replaceAll("/+$", "");
    String origin = baseUrl.getAuthority() + path + "/api/audit/log";
    vault.putIfAbsent(NAME, origin.getBytes(StandardCharsets.UTF_8));
    String kept =
        vault
            .find(NAME)
            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
            .orElseThrow(() -> new IllegalStateException("the log's name was not kept"));
    log.newestCheckpoint().ifPresent(newest -> compare(kept, newest));
    return kept;
  }

  private static void compare(String kept, MerkleLog.Newest newest) {
    Optional<String> named =
        SignedNote.parse(newest.note())
            .map(SignedNote::text)
            .flatMap(Checkpoint::parse)
            .map(Checkpoint::origin);
    if (!named.equals(Optional.of(kept))) {
      String row = "log_checkpoint, size " + newest.size();
      throw new IllegalStateException(
          "Somebody has altered the database, or it is damaged: "
              + (named.isPresent()
                  ? "the newest checkpoint ("
                      + row
                      + ") is of the log "
                      + named.get()
                      + ", but log_origin in the table secret is "
                      + kept
                      + ". Put the name back."
                  : "the newest checkpoint ("
                      + row
                      + ") cannot be read. Keep a copy of that row and delete it.")
              + " Then run `safeconduct audit verify` with a checkpoint that was kept elsewhere.");
    }
  }
}
