package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What is recorded beside a decision: who asked, from where, and the context without secrets. */
final class RecordDetails {
  private static final byte[] CONTEXT = ",\"context\":".getBytes(StandardCharsets.US_ASCII);

  private RecordDetails() {}

  /**
   * RFC 8785 bytes of the details.
   *
   * @param canonical the asked context's canonical form; it is used as it is when nothing in the
   *     context had to be redacted
   */
  @SuppressWarnings("ReferenceEquality") // the same object tells that nothing was redacted
  static byte[] of(
      VerifyRequest request, JudgedContext context, byte[] canonical, Redaction redaction) {
    JsonObject.Builder before =
        JsonObject.builder()
            .put("address", request.clientAddress())
            .put("caller", request.caller().name());
    byte[] shown =
        context.shown() == context.asked() ? canonical : CanonicalJson.bytes(context.shown());
    if (shown.length > Redaction.LONG_OBJECT) {
      shown = CanonicalJson.bytes(redaction.shortened(context.shown()));
    }
    JsonObject.Builder after = JsonObject.builder();
    if (!context.lifted().isEmpty()) {
      after.put("lifted", JsonArray.ofStrings(context.lifted()));
    }
    after.put("request_id", request.requestId());
    if (request.reserve()) {
      after.put("reserve", true);
    }
    return spliced(CanonicalJson.bytes(before.build()), shown, CanonicalJson.bytes(after.build()));
  }

  /** {@code {before,"context":context,after}}. */
  private static byte[] spliced(byte[] before, byte[] context, byte[] after) {
    int at = before.length - 1;
    byte[] whole = Arrays.copyOf(before, at + CONTEXT.length + context.length + after.length);
    System.arraycopy(CONTEXT, 0, whole, at, CONTEXT.length);
    System.arraycopy(context, 0, whole, at + CONTEXT.length, context.length);
    int rest = at + CONTEXT.length + context.length;
    System.arraycopy(after, 0, whole, rest, after.length);
    whole[rest] = ',';
    return whole;
  }
}
