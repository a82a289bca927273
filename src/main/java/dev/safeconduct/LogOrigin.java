package dev.safeconduct;

import dev.safeconduct.signing.Vault;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * The log's name in its checkpoints: its address at first start, without the scheme (C2SP
 * tlog-tiles). Kept for good, as a log under another name is another log.
 */
final class LogOrigin {
  private static final String NAME = "log_origin";

  private LogOrigin() {}

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
