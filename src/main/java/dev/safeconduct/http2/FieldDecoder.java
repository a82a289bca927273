package dev.safeconduct.http2;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http2.hpack.HPackDecoder;
import org.apache.hc.core5.http2.hpack.HPackException;
import org.jspecify.annotations.Nullable;

/** Unpacks blocks of fields (HPACK, RFC 7541) within a bound on what they unpack to. */
final class FieldDecoder {
  /** What all fields of a request may take; each counts 32 octets more (section 6.5.2). */
  static final int MAX_LIST = 32 << 10;

  private static final int TABLE = 4 << 10;
  private static final int FIELD_OVERHEAD = 32;

  /** How an octet starts that sizes the table (RFC 7541 section 6.3). */
  private static final int SIZE_OF_TABLE = 0x20;

  private static final int SIZE_OF_TABLE_MASK = 0xe0;

  private final HPackDecoder packed = new HPackDecoder(TABLE, StandardCharsets.US_ASCII);

  /**
   * A block's fields.
   *
   * @param complete false when there were more than fit, and the rest was dropped
   */
  record Fields(List<Field> list, boolean complete) {}

  /**
   * Every block has to be unpacked to its end, even of a request that is refused: later blocks
   * refer to what it put into the table.
   *
   * @throws ConnectionFault for what is not HPACK
   */
  Fields decode(byte[] block, int length) throws ConnectionFault {
    var fields = new ArrayList<Field>();
    ByteBuffer left = ByteBuffer.wrap(block, 0, length);
    long size = 0;
    try {
      for (Header next = next(left); next != null; next = next(left)) {
        String value = next.getValue() == null ? "" : next.getValue();
        size += (long) next.getName().length() + value.length() + FIELD_OVERHEAD;
        if (size <= MAX_LIST) {
          fields.add(new Field(next.getName(), value));
        }
      }
    } catch (HPackException | RuntimeException e) {
      throw new ConnectionFault(ErrorCode.COMPRESSION_ERROR, "The fields cannot be unpacked");
    }
    return new Fields(fields, size <= MAX_LIST);
  }

  /** The library takes a new size of the table anywhere; it may only come first (section 4.2). */
  private @Nullable Header next(ByteBuffer left) throws HPackException {
    if (!left.hasRemaining()) {
      return null;
    }
    boolean isSize = (left.get(left.position()) & SIZE_OF_TABLE_MASK) == SIZE_OF_TABLE;
    if (isSize && left.position() > 0) {
      throw new HPackException("A size of the table behind a field");
    }
    return packed.decodeHeader(left);
  }
}
