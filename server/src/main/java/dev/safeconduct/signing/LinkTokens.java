package dev.safeconduct.signing;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens of links in emails: an id and an HMAC-SHA256 (RFC 2104) over it and over state that must
 * not change. They can be computed again at any time and are not stored.
 */
public final class LinkTokens {
  private static final int MAC_BYTES = 32;
  private static final int MAX_ID = 100;

  private final SecretKeySpec key;

  /**
   * Creates the tokens of one kind of link.
   *
   * @param key used only for this kind of link, by {@link MasterKey#derive}
   */
  public LinkTokens(byte[] key) {
    this.key = new SecretKeySpec(key, "HmacSHA256");
  }

  /**
   * Returns the token.
   *
   * @param id the subject of the link; ASCII
   * @param state invalidates the token when it changes, for example the expiry
   */
  public String make(String id, String state) {
    byte[] name = id.getBytes(StandardCharsets.US_ASCII);
    byte[] token = new byte[name.length + MAC_BYTES];
    System.arraycopy(mac(id, state), 0, token, 0, MAC_BYTES);
    System.arraycopy(name, 0, token, MAC_BYTES, name.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
  }

  /** Returns the id in a token, not yet verified; empty for text that is not a valid token. */
  public static Optional<String> id(String token) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(token);
      if (bytes.length > MAC_BYTES && bytes.length <= MAC_BYTES + MAX_ID) {
        String id =
            new String(bytes, MAC_BYTES, bytes.length - MAC_BYTES, StandardCharsets.US_ASCII);
        return id.chars().allMatch(c -> c > ' ' && c <= '~') ? Optional.of(id) : Optional.empty();
      }
    } catch (IllegalArgumentException _) {
      // invalid base64: not a token
    }
    return Optional.empty();
  }

  /** Returns whether the token belongs to this id and state; compares in constant time. */
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
