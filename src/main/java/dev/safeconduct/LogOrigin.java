package dev.safeconduct;

import dev.safeconduct.signing.Vault;
import dev.safeconduct.store.LogReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The log's name in its checkpoints: its address at first start, without the scheme (C2SP
 * tlog-tiles). Kept for good, as a log under another name is another log.
 */
final class LogOrigin {
  private static final String NAME = "log_origin";

  private LogOrigin() {}

  /** The name of a log that is only read. */
  static Optional<String> kept(LogReader reader) {
    return reader.value(NAME).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  static String of(Vault vault, URI baseUrl) {
    String path = baseUrl.getPath() == null ? "" : baseUrl.getPath().replaceAll("/+$", "");
    String origin = baseUrl.getAuthority() + path + "/api/audit/log";
    vault.putIfAbsent(NAME, origin.getBytes(StandardCharsets.UTF_8));
    return vault
        .find(NAME)
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .orElseThrow(() -> new IllegalStateException("the log's name was not kept"));
  }
}
