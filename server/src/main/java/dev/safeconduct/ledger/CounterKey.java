package dev.safeconduct.ledger;

import dev.safeconduct.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * The 128-bit name of a counter: the first half of a SHA-256 over the parts. Each part has its
 * length in front, so that different lists of parts never have the same encoding.
 */
public record CounterKey(long high, long low) {
  /**
   * Returns the key of the counter with these parts.
   *
   * @param parts scope (organization or template), agent, pack, counter name, and the value it is
   *     counted by
   */
  public static CounterKey of(String... parts) {
    MessageDigest digest = Sha256.begin();
    ByteBuffer size = ByteBuffer.allocate(4);
    for (String part : parts) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      digest.update(size.clear().putInt(bytes.length).flip());
      digest.update(bytes);
    }
    ByteBuffer hash = ByteBuffer.wrap(digest.digest());
    return new CounterKey(hash.getLong(), hash.getLong());
  }

  public byte[] bytes() {
    return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
  }
}
