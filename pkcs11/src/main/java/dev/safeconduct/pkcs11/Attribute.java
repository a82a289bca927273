package dev.safeconduct.pkcs11;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** An attribute of an object in a module (PKCS #11 3.1 section 4). */
@SuppressWarnings("ArrayRecordComponent") // handed to the module, never compared
record Attribute(long type, byte[] value) {
  static final long PRIVATE_KEY = 3;
  static final long PUBLIC_KEY = 2;

  static final long CLASS = 0x00;
  static final long TOKEN = 0x01;
  static final long PRIVATE = 0x02;
  static final long LABEL = 0x03;
  static final long ID = 0x102;
  static final long SENSITIVE = 0x103;
  static final long DECRYPT = 0x105;
  static final long UNWRAP = 0x107;
  static final long SIGN = 0x108;
  static final long VERIFY = 0x10A;
  static final long DERIVE = 0x10C;
  static final long EXTRACTABLE = 0x162;
  static final long EC_PARAMS = 0x180;
  static final long EC_POINT = 0x181;

  static Attribute of(long type, boolean value) {
    return new Attribute(type, new byte[] {(byte) (value ? 1 : 0)});
  }

  static Attribute of(long type, long value) {
    return new Attribute(
        type,
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array());
  }

  static Attribute of(long type, String value) {
    return new Attribute(type, value.getBytes(StandardCharsets.UTF_8));
  }
}
