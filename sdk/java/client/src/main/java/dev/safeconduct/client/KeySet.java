package dev.safeconduct.client;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The service's public keys ({@code /jwks.json}), and the checks that need no network: decisions,
 * decision tokens and receipts of the audit log.
 */
public final class KeySet {
  private static final BigInteger PRIME =
      BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
  private static final BigInteger ORDER =
      BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));

  /** The y of keys that accept signatures which nobody made. */
  private static final Set<BigInteger> SMALL_ORDER =
      Set.of(
          BigInteger.ZERO,
          BigInteger.ONE,
          PRIME.subtract(BigInteger.ONE),
          new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16),
          new BigInteger("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16));

  /** 32 bytes in Base64url. */
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]");

  /** Before the 32 bytes of a key in a SubjectPublicKeyInfo (RFC 8410 section 4). */
  private static final byte[] X509_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  private final Map<String, byte[]> keys;
  private final @Nullable Provider provider;

  private KeySet(Map<String, byte[]> keys, @Nullable Provider provider) {
    this.keys = keys;
    this.provider = provider;
  }

  /**
   * Reads a key set, in JSON. Keys of other kinds are ignored (RFC 7517 section 5).
   *
   * @throws IllegalArgumentException if it is not a key set
   */
  public static KeySet parse(byte[] json) {
    return of(Json.parse(json));
  }

  static KeySet of(@Nullable Object value) {
    var keys = new HashMap<String, byte[]>();
    if (!(Json.object(value).get("keys") instanceof List<?> list)) {
      throw new InvalidAnswer("keys is not a list");
    }
    for (Object each : list) {
      if (each instanceof Map<?, ?> key
          && key.get("kid") instanceof String kid
          && "OKP".equals(key.get("kty"))
          && "Ed25519".equals(key.get("crv"))
          && key.get("x") instanceof String x
          && KEY.matcher(x).matches()
          && isAcceptable(base64Url(x))
          && keys.put(kid, base64Url(x)) != null) {
        throw new InvalidAnswer("two keys have the id " + kid);
      }
    }
    return new KeySet(keys, null);
  }

  /** Returns these keys; the provider checks signatures with them, or Java's first one if null. */
  KeySet with(@Nullable Provider ed25519) {
    return new KeySet(keys, ed25519);
  }

  boolean has(@Nullable Object kid) {
    return kid instanceof String text && keys.containsKey(text);
  }

  /** Returns the keys of a purpose. */
  List<byte[]> of(String purpose) {
    var found = new ArrayList<byte[]>();
    keys.forEach((kid, key) -> {
      if (kid.startsWith("oap:registry:" + purpose + "-")) {
        found.add(key);
      }
    });
    return found;
  }

  /** Returns the key if it serves the purpose. */
  byte @Nullable [] find(@Nullable Object kid, String purpose) {
    return kid instanceof String text && text.startsWith("oap:registry:" + purpose + "-")
        ? keys.get(text)
        : null;
  }

  /** Returns whether the 64 bytes are the key's signature (Ed25519, RFC 8032 section 5.1.7). */
  boolean isSigned(byte[] key, byte[] message, byte[] signature) {
    if (key.length != 32 || signature.length != 64) {
      return false;
    }
    // Not every provider refuses the non-canonical encoding of a scalar.
    if (littleEndian(signature, 32).compareTo(ORDER) >= 0) {
      return false;
    }
    try {
      // Not every provider takes the numbers of a point; all take this form.
      byte[] encoded = Arrays.copyOf(X509_PREFIX, X509_PREFIX.length + key.length);
      System.arraycopy(key, 0, encoded, X509_PREFIX.length, key.length);
      KeyFactory factory =
          provider == null
              ? KeyFactory.getInstance("Ed25519")
              : KeyFactory.getInstance("Ed25519", provider);
      PublicKey publicKey = factory.generatePublic(new X509EncodedKeySpec(encoded));
      Signature verifier =
          provider == null
              ? Signature.getInstance("Ed25519")
              : Signature.getInstance("Ed25519", provider);
      verifier.initVerify(publicKey);
      verifier.update(message);
      return verifier.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Not every provider refuses a non-canonical encoding of a point, or points of small order. */
  private static boolean isAcceptable(byte[] key) {
    BigInteger y = littleEndian(key, 0).clearBit(255);
    return y.compareTo(PRIME) < 0 && !SMALL_ORDER.contains(y);
  }

  /** Decodes Base64 in its one spelling. */
  static byte[] base64(String text) {
    return decode(text, Base64.getDecoder(), Base64.getEncoder());
  }

  /** Decodes Base64url without padding in its one spelling. */
  static byte[] base64Url(String text) {
    return decode(text, Base64.getUrlDecoder(), Base64.getUrlEncoder().withoutPadding());
  }

  private static byte[] decode(String text, Base64.Decoder decoder, Base64.Encoder encoder) {
    byte[] data;
    try {
      data = decoder.decode(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidAnswer("not Base64");
    }
    if (!encoder.encodeToString(data).equals(text)) {
      throw new InvalidAnswer("not canonical Base64");
    }
    return data;
  }

  private static BigInteger littleEndian(byte[] data, int from) {
    var reversed = new byte[32];
    for (int i = 0; i < 32; i++) {
      reversed[31 - i] = data[from + i];
    }
    return new BigInteger(1, reversed);
  }
}
