package dev.safeconduct.passport;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonValue;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The digest of a document: {@code sha256:} and the hex of SHA-256 over its RFC 8785 form. */
final class Digest {
  private Digest() {}

  static String of(JsonValue document) {
    return "sha256:" + hex(CanonicalJson.bytes(document));
  }

  static String hex(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
