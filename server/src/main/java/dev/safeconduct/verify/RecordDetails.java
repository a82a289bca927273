package dev.safeconduct.verify;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonWriter;

/** The details recorded with a decision: caller, source address and redacted context. */
final class RecordDetails {
  /** The approximate size of the details without the context, in bytes. */
  private static final int BESIDE = 768;

  private RecordDetails() {}

  /**
   * Returns the RFC 8785 bytes of the details.
   *
   * @param canonical the canonical form of the evaluated context, used unchanged if the context has
   *     no secrets
   */
  @SuppressWarnings("ReferenceEquality") // the same object tells that nothing was redacted
  static byte[] of(
      VerifyRequest request,
      Outcome outcome,
      JudgedContext context,
      byte[] canonical,
      Redaction redaction) {
    byte[] shown =
        context.shown() == context.asked() ? canonical : CanonicalJson.bytes(context.shown());
    if (shown.length > Redaction.LONG_OBJECT) {
      shown = CanonicalJson.bytes(redaction.shortened(context.shown()));
    }
    JsonWriter details = JsonWriter.inOrder(shown.length + BESIDE).open();
    details.member("address").text(request.sender().clientAddress());
    details.member("caller").text(request.caller().name());
    if (!outcome.evaluated().isEmpty()) {
      RecordedChecks.write(outcome.evaluated(), details.member(RecordedChecks.NAME));
    }
    details.member("context").raw(shown);
    if (!context.lifted().isEmpty()) {
      details.member("lifted").value(JsonArray.ofStrings(context.lifted()));
    }
    details.member("request_id").text(request.sender().requestId());
    if (request.reserve()) {
      details.member("reserve").bool(true);
    }
    return details.close().bytes();
  }
}
