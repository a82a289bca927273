package dev.safeconduct.signing;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens of links in letters: an id and HMAC-SHA256 (RFC 2104) over it and whatever must not have
 * changed since. They can be made again at any time and are stored nowhere.
 */
public final class LinkTokens {
  private static final int MAC_BYTES = 32;
  private static final int MAX_ID = 100;

  private final SecretKeySpec key;

  /**
   * @param key of this kind of link alone, by {@link MasterKey#derive}
   */
  public LinkTokens(byte[] key) {
    this.key = new SecretKeySpec(key, "HmacSHA256");
  }

  /**
   * The token.
   *
   * @param id what the link is about; ASCII
   * @param state what makes the token worthless when it changes, for example when it expires
   */
  public String make(String id, String state) {
    byte[] name = id.getBytes(StandardCharsets.US_ASCII);
    byte[] token = new byte[name.length + MAC_BYTES];
    System.arraycopy(mac(id, state), 0, token, 0, MAC_BYTES);
    System.arraycopy(name, 0, token, MAC_BYTES, name.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
  }

  /** The id a token speaks of, not yet believed; empty for text that can be no token. */
  public static Optional<String> id(String token) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(token);
      if (bytes.length > MAC_BYTES && bytes.length <= MAC_BYTES + MAX_ID) {
        String id =
            new String(bytes, MAC_BYTES, bytes.length - MAC_BYTES, StandardCharsets.US_ASCII);
        return id.chars().allMatch(c -> c > ' ' && c <= '~') ? Optional.of(id) : Optional.empty();
      }
    } catch (IllegalArgumentException _) {
      // no base64: no token
    }
    return Optional.empty();
  }

  /** Whether the token was made of this id and state; compared in constant time. */
  public boolean matches(String token, String id, String state) {
    return MessageDigest.isEqual(
        make(id, state).getBytes(StandardCharsets.US_ASCII),
        token.getBytes(StandardCharsets.UTF_8));
  }

  private byte[] mac(String id, String state) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update((id.length() + ":" + id + state).getBytes(StandardCharsets.UTF_8));
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HMAC-SHA256", e);
    }
  }
}
