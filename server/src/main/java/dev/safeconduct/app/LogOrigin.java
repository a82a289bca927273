package dev.safeconduct.app;

import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.audit.verify.StoredLog;
import dev.safeconduct.signing.Vault;
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
   * @throws IllegalStateException when the newest kept checkpoint has another name
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
    if (log.newestCheckpoint().filter(note -> !note.startsWith(kept + "\n")).isPresent()) {
      throw new IllegalStateException(
          "The log's name "
              + kept
              + " (log_origin in the table secret) is not the one in its newest checkpoint. Somebody"
              + " has altered the database. Put the name back; audit verify compares both.");
    }
    return kept;
  }
}
