package dev.safeconduct.gateway.identity;

import dev.safeconduct.gateway.relay.Principal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A token that the operator handed out; the gateway only has its digest.
 *
 * @param sha256 the SHA-256 of the token's UTF-8, in hexadecimal
 */
record StaticToken(String sha256, Principal principal) {
  static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java platform has it.
    }
  }

  boolean matches(byte[] digest) {
    return MessageDigest.isEqual(HexFormat.of().parseHex(sha256), digest);
  }

  @Override
  public String toString() {
    return "StaticToken[" + principal.id() + "]";
  }
}
