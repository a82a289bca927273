package dev.safeconduct.testkit;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An authenticator and its browser, which also lies as an attacker's would. */
public final class SoftKey {
  private static final Pattern OPTIONS = Pattern.compile("data-passkey=\"([^\"]*)\"");
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final KeyPair pair;
  private final byte[] id;

  /** What the next answers say. */
  public String origin;

  public String rpId;
  public boolean verifies = true;
  public boolean framed;
  public String handle = "";
  public long count;

  /** {@code origin}: of the pages it is used on. */
  public SoftKey(String origin) {
    this(origin, 32);
  }

  /** {@code length}: of the credential id, in bytes. */
  public SoftKey(String origin, int length) {
    this.origin = origin;
    this.id = new byte[length];
    this.rpId = java.net.URI.create(origin).getHost();
    new SecureRandom().nextBytes(id);
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      this.pair = generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** The options that a page gives its browser. */
  public static JsonObject options(Reply page) {
    Matcher found = OPTIONS.matcher(page.text());
    if (!found.find()) {
      throw new AssertionError("no options in " + page);
    }
    try {
      return (JsonObject)
          Json.parse(
              found.group(1).replace("&#34;", "\"").replace("&quot;", "\"").replace("&amp;", "&"));
    } catch (JsonFault e) {
      throw new AssertionError(found.group(1), e);
    }
  }

  /** Answers a registration, and remembers the account's handle. */
  public String create(JsonObject options) {
    handle = options.object("user").orElseThrow().string("id").orElseThrow();
    byte[] client = client("webauthn.create", options);
    ECPublicKey key = (ECPublicKey) pair.getPublic();
    var data = new ByteArrayOutputStream();
    data.writeBytes(authenticator(0x40));
    data.writeBytes(new byte[16]);
    data.writeBytes(length(id.length));
    data.writeBytes(id);
    data.writeBytes(new byte[] {(byte) 0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32});
    data.writeBytes(coordinate(key.getW().getAffineX()));
    data.writeBytes(new byte[] {0x22, 0x58, 32});
    data.writeBytes(coordinate(key.getW().getAffineY()));
    var object = new ByteArrayOutputStream();
    object.write(0xA3);
    text(object, "fmt");
    text(object, "none");
    text(object, "attStmt");
    object.write(0xA0);
    text(object, "authData");
    object.write(0x59);
    object.writeBytes(length(data.size()));
    object.writeBytes(data.toByteArray());
    return answer(
        JsonObject.builder()
            .put("clientDataJSON", BASE64.encodeToString(client))
            .put("attestationObject", BASE64.encodeToString(object.toByteArray())));
  }

  /** Answers a sign-in. */
  public String get(JsonObject options) {
    count++;
    byte[] client = client("webauthn.get", options);
    byte[] data = authenticator(0);
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(pair.getPrivate());
      signature.update(data);
      signature.update(sha256(client));
      return answer(
          JsonObject.builder()
              .put("clientDataJSON", BASE64.encodeToString(client))
              .put("authenticatorData", BASE64.encodeToString(data))
              .put("signature", BASE64.encodeToString(signature.sign()))
              .put("userHandle", handle));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private String answer(JsonObject.Builder response) {
    return Json.text(
        JsonObject.builder()
            .put("id", BASE64.encodeToString(id))
            .put("rawId", BASE64.encodeToString(id))
            .put("type", "public-key")
            .put("response", response.build())
            .put("clientExtensionResults", JsonObject.EMPTY)
            .build());
  }

  private byte[] client(String type, JsonObject options) {
    return Json.text(
            JsonObject.builder()
                .put("type", type)
                .put("challenge", options.string("challenge").orElseThrow())
                .put("origin", origin)
                .put("crossOrigin", framed)
                .build())
        .getBytes(StandardCharsets.UTF_8);
  }

  private byte[] authenticator(int flags) {
    return ByteBuffer.allocate(37)
        .put(sha256(rpId.getBytes(StandardCharsets.UTF_8)))
        .put((byte) (flags | 1 | (verifies ? 4 : 0)))
        .putInt((int) count)
        .array();
  }

  private static void text(ByteArrayOutputStream out, String text) {
    out.write(0x60 + text.length());
    out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] length(int bytes) {
    return new byte[] {(byte) (bytes >> 8), (byte) bytes};
  }

  private static byte[] coordinate(BigInteger number) {
    byte[] bytes = number.toByteArray();
    var fixed = new byte[32];
    int from = Math.max(0, bytes.length - 32);
    System.arraycopy(bytes, from, fixed, 32 - (bytes.length - from), bytes.length - from);
    return fixed;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
