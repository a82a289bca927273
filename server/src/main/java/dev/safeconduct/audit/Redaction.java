package dev.safeconduct.audit;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.schema.ContextSchema;
import dev.safeconduct.text.Spares;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Takes out of recorded data what a record must not hold: secrets, and members that the pack does
 * not declare. A keyed hash remains. Callers who have the original can prove its presence; the hash
 * does not reveal it.
 */
public final class Redaction {
  /** Begins what is recorded in place of a value. */
  public static final String MARK = "[redacted hmac-sha256:";

  /** Replaces the members of a context that are too many to be recorded. */
  public static final String REST = "…";

  /** Replaces undeclared members that are too many to be recorded. */
  public static final String UNDECLARED = "… undeclared";

  /** File contents and outputs longer than this many characters are stored as hash and length. */
  static final int LONG_CONTENT = 1024;

  /** No object is stored in full above this many bytes. */
  public static final int LONG_OBJECT = 64 * 1024;

  private final SecretKeySpec key;

  /** A new one takes longer than many hashes. */
  private final Spares<Mac> macs = new Spares<>();

  /** {@code key}: 32 bytes, the same on every node. */
  public Redaction(byte[] key) {
    this.key = new SecretKeySpec(key, "HmacSHA256");
  }

  /**
   * Returns a context as it may be recorded, with the secrets that are to be kept out of it all.
   */
  public RedactedContext of(JsonObject context, ContextSchema schema) {
    return RedactedContext.of(context, schema, this);
  }

  /**
   * Returns a redacted object that is too long to be stored in full, without its long members. If
   * it has too many members, the first are stored and one mark named {@link #REST} replaces the
   * others.
   */
  public JsonObject shortened(JsonObject redacted) {
    JsonObject.Builder kept = JsonObject.builder();
    JsonObject.Builder rest = JsonObject.builder();
    int size = 0;
    for (String name : redacted.names()) {
      JsonValue value = redacted.get(name);
      if (value == null) {
        continue;
      }
      String text = Json.text(value);
      JsonValue shown = text.length() > LONG_CONTENT ? new JsonString(mark(text)) : value;
      size += name.length() + Math.min(text.length(), LONG_CONTENT);
      (size <= LONG_OBJECT / 2 ? kept : rest).put(name, shown);
    }
    JsonObject left = rest.build();
    return left.isEmpty() ? kept.build() : kept.put(REST, mark(Json.text(left))).build();
  }

  /** Returns what is recorded in place of a secret text. */
  String mark(String original) {
    return MARK + hash(original) + " length:" + original.length() + "]";
  }

  /** Returns what is recorded in place of an undeclared value. */
  JsonString undeclared(JsonValue value) {
    String original = value instanceof JsonString(String text) ? text : Json.text(value);
    return new JsonString(
        MARK + hash(original) + " type:" + value.typeName() + " length:" + original.length() + "]");
  }

  String hash(String original) {
    try {
      Mac mac = macs.take();
      if (mac == null) {
        mac = Mac.getInstance("HmacSHA256");
        mac.init(key);
      }
      byte[] hash = mac.doFinal(original.getBytes(StandardCharsets.UTF_8));
      macs.giveBack(mac);
      return HexFormat.of().formatHex(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }
}
