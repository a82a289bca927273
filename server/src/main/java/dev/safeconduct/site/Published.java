package dev.safeconduct.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Files of {@code api/} as this service publishes them. Their addresses come from the settings and
 * never from a request.
 *
 * @param baseUrl the public address, without a trailing slash
 * @param issueUrl the public address of issuing and claiming
 */
public record Published(String baseUrl, String issueUrl) {
  /** Returns the file's text with this service's addresses. */
  String text(String name) {
    return new String(bytes(name), StandardCharsets.UTF_8)
        .replace("{base_url}", baseUrl)
        .replace("{issue_url}", issueUrl);
  }

  static byte[] bytes(String name) {
    return file("/api/" + name);
  }

  /** Returns a file of the program. */
  static byte[] file(String path) {
    try (InputStream in = Published.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException(path + " is missing from the program");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
