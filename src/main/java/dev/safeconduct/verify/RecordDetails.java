package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What is recorded beside a decision: who asked, from where, and the context without secrets. */
final class RecordDetails {
  private static final byte[] CONTEXT = ",\"context\":".getBytes(StandardCharsets.US_ASCII);

  private RecordDetails() {}

  /**
   * JSON of the details.
   *
   * @param canonical the lifted context's RFC 8785 form; it is used as it is when nothing in the
   *     context had to be redacted
   */
  @SuppressWarnings("ReferenceEquality") // the same object tells that nothing was redacted
  static byte[] of(
      VerifyRequest request, Dialects.Lifted lifted, byte[] canonical, Redaction redaction) {
    JsonObject.Builder details =
        JsonObject.builder()
            .put("caller", request.caller().name())
            .put("address", request.clientAddress())
            .put("request_id", request.requestId());
    if (request.reserve()) {
      details.put("reserve", true);
    }
    if (!lifted.lifted().isEmpty()) {
      details.put("lifted", JsonArray.ofStrings(lifted.lifted()));
    }
    JsonObject context = redaction.of(lifted.context());
    byte[] shown = context == lifted.context() ? canonical : Json.bytes(context);
    if (shown.length > Redaction.LONG_OBJECT) {
      shown = Json.bytes(redaction.shortened(context));
    }
    return followedBy(Json.bytes(details.build()), shown);
  }

  /** {@code {…,"context":shown}}. */
  private static byte[] followedBy(byte[] object, byte[] shown) {
    int at = object.length - 1;
    byte[] whole = Arrays.copyOf(object, at + CONTEXT.length + shown.length + 1);
    System.arraycopy(CONTEXT, 0, whole, at, CONTEXT.length);
    System.arraycopy(shown, 0, whole, at + CONTEXT.length, shown.length);
    whole[whole.length - 1] = '}';
    return whole;
  }
}
