package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonWriter;

/** What is recorded beside a decision: who asked, from where, and the context without secrets. */
final class RecordDetails {
  /** About what there is beside the context, in bytes. */
  private static final int BESIDE = 256;

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
    byte[] shown =
        context.shown() == context.asked() ? canonical : CanonicalJson.bytes(context.shown());
    if (shown.length > Redaction.LONG_OBJECT) {
      shown = CanonicalJson.bytes(redaction.shortened(context.shown()));
    }
    JsonWriter details = JsonWriter.inOrder(shown.length + BESIDE).open();
    details.member("address").text(request.clientAddress());
    details.member("caller").text(request.caller().name());
    details.member("context").raw(shown);
    if (!context.lifted().isEmpty()) {
      details.member("lifted").value(JsonArray.ofStrings(context.lifted()));
    }
    details.member("request_id").text(request.requestId());
    if (request.reserve()) {
      details.member("reserve").bool(true);
    }
    return details.close().bytes();
  }
}
