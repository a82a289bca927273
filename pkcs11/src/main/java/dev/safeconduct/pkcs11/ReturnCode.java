package dev.safeconduct.pkcs11;

import java.util.Locale;
import java.util.Map;

/** Return codes of PKCS #11 (OASIS, "PKCS #11 Specification Version 3.1", section 5.1). */
final class ReturnCode {
  static final long OK = 0;
  static final long USER_ALREADY_LOGGED_IN = 0x100;
  static final long CRYPTOKI_ALREADY_INITIALIZED = 0x191;

  /** CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE, CKR_PIN_EXPIRED, CKR_PIN_LOCKED. */
  private static final long PIN_FIRST = 0xA0;

  private static final long PIN_LAST = 0xA4;

  private static final Map<Long, String> NAMES =
      Map.ofEntries(
          Map.entry(0x03L, "CKR_SLOT_ID_INVALID"),
          Map.entry(0x05L, "CKR_GENERAL_ERROR"),
          Map.entry(0x06L, "CKR_FUNCTION_FAILED"),
          Map.entry(0x13L, "CKR_ATTRIBUTE_VALUE_INVALID"),
          Map.entry(0x30L, "CKR_DEVICE_ERROR"),
          Map.entry(0x31L, "CKR_DEVICE_MEMORY"),
          Map.entry(0x32L, "CKR_DEVICE_REMOVED"),
          Map.entry(0x54L, "CKR_FUNCTION_NOT_SUPPORTED"),
          Map.entry(0x60L, "CKR_KEY_HANDLE_INVALID"),
          Map.entry(0x68L, "CKR_KEY_FUNCTION_NOT_PERMITTED"),
          Map.entry(0x70L, "CKR_MECHANISM_INVALID"),
          Map.entry(0x82L, "CKR_OBJECT_HANDLE_INVALID"),
          Map.entry(0xA0L, "CKR_PIN_INCORRECT"),
          Map.entry(0xA3L, "CKR_PIN_EXPIRED"),
          Map.entry(0xA4L, "CKR_PIN_LOCKED"),
          Map.entry(0xB1L, "CKR_SESSION_COUNT"),
          Map.entry(0xB3L, "CKR_SESSION_HANDLE_INVALID"),
          Map.entry(0xD0L, "CKR_TEMPLATE_INCOMPLETE"),
          Map.entry(0xD1L, "CKR_TEMPLATE_INCONSISTENT"),
          Map.entry(0xE0L, "CKR_TOKEN_NOT_PRESENT"),
          Map.entry(0xE1L, "CKR_TOKEN_NOT_RECOGNIZED"),
          Map.entry(0xE2L, "CKR_TOKEN_WRITE_PROTECTED"),
          Map.entry(0x101L, "CKR_USER_NOT_LOGGED_IN"),
          Map.entry(0x140L, "CKR_CURVE_NOT_SUPPORTED"),
          Map.entry(0x190L, "CKR_CRYPTOKI_NOT_INITIALIZED"));

  private ReturnCode() {}

  /** Whether the module will take this PIN no better the next time. */
  static boolean refusesPin(long code) {
    return code >= PIN_FIRST && code <= PIN_LAST;
  }

  static String name(long code) {
    return NAMES.getOrDefault(code, "0x" + Long.toHexString(code).toUpperCase(Locale.ROOT));
  }
}
