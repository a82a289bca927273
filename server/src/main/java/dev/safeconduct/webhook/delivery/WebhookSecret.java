package dev.safeconduct.webhook.delivery;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The shared secret that signs deliveries. It is never printed. */
public record WebhookSecret(String text) {
  /** The most characters a secret may have. */
  public static final int MAX_LENGTH = 256;

  /** What a text must be to be one; follows the name of the member or variable. */
  public static final String RULE =
      "must have 1 to "
          + MAX_LENGTH
          + " printable ASCII characters, and base64 (RFC 4648 section 4) after whsec_ if it"
          + " begins so";

  /** Shorter ones are taken, with a warning. */
  public static final int SHORT = 24;

  private static final String PREFIX = "whsec_";
  private static final int MADE_BYTES = 32;

  /** Reads a text that came from outside; empty when it breaks {@link #RULE}. */
  public static Optional<WebhookSecret> parse(String text) {
    boolean printable = text.chars().allMatch(c -> c >= ' ' && c <= '~');
    if (text.isEmpty() || text.length() > MAX_LENGTH || !printable) {
      return Optional.empty();
    }
    if (text.startsWith(PREFIX) && decoded(text).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new WebhookSecret(text));
  }

  /** A new one of 256 random bits, in the form Standard Webhooks gives secrets. */
  public static WebhookSecret make(RandomGenerator random) {
    byte[] bytes = new byte[MADE_BYTES];
    random.nextBytes(bytes);
    return new WebhookSecret(PREFIX + Base64.getEncoder().encodeToString(bytes));
  }

  /** {@code sha256=} and the lower-case hex HMAC-SHA256 of the body under the secret's text. */
  String bodySignature(byte[] body) {
    byte[] key = text.getBytes(StandardCharsets.UTF_8);
    return "sha256=" + HexFormat.of().formatHex(hmac(key, body));
  }

  /**
   * A signature of Standard Webhooks: {@code v1,} and the base64 HMAC-SHA256 of {@code
   * id.timestamp.body}. The key is what stands decoded after {@code whsec_}, else the secret's
   * UTF-8 bytes.
   */
  String standardSignature(String id, long timestampSeconds, byte[] body) {
    byte[] head = (id + "." + timestampSeconds + ".").getBytes(StandardCharsets.UTF_8);
    byte[] key = decoded(text).orElseGet(() -> text.getBytes(StandardCharsets.UTF_8));
    return "v1," + Base64.getEncoder().encodeToString(hmac(key, head, body));
  }

  private static Optional<byte[]> decoded(String text) {
    if (!text.startsWith(PREFIX)) {
      return Optional.empty();
    }
    try {
      byte[] key = Base64.getDecoder().decode(text.substring(PREFIX.length()));
      return Optional.of(key).filter(bytes -> bytes.length > 0);
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static byte[] hmac(byte[] key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is not available", e);
    }
  }

  @Override
  public String toString() {
    return "WebhookSecret[hidden]";
  }
}
