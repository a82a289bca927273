package dev.safeconduct.usage;

import dev.safeconduct.digest.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * Names one counter in 128 bits: the first half of a SHA-256 over the parts, each with its length
 * in front, so that no two lists of parts run together.
 */
public record CounterKey(long high, long low) {
  /**
   * The counter of these parts.
   *
   * @param parts scope (organization or template), agent, pack, counter name, and what it is
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
