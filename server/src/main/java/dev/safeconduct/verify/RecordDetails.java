package dev.safeconduct.verify;

import dev.safeconduct.audit.RedactedContext;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.policy.AccessModel;

/** The details recorded with a decision: caller, source address and redacted context. */
public final class RecordDetails {
  /** Which properties of the context's entities the pack provided. */
  public static final String PACK_PROPERTIES = "pack_properties";

  /** Which properties of the caller the pack replaced with another value. */
  public static final String IGNORED_PROPERTIES = "ignored_properties";

  /** The approximate size of the details without the context, in bytes. */
  private static final int BESIDE = 768;

  private RecordDetails() {}

  /**
   * Returns the RFC 8785 bytes of the details.
   *
   * @param evaluated which properties of the context are the pack's, and what dialects lifted
   * @param canonical the canonical form of the evaluated context, used unchanged if nothing is
   *     taken out of it
   */
  @SuppressWarnings("ReferenceEquality") // the same object tells that nothing was redacted
  static byte[] of(
      VerifyRequest request,
      Outcome outcome,
      EvaluatedContext evaluated,
      RedactedContext context,
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
    AccessModel.Completed properties = evaluated.completed();
    if (!properties.ignored().isEmpty()) {
      details.member(IGNORED_PROPERTIES).value(properties.ignored());
    }
    if (!evaluated.lifted().isEmpty()) {
      details.member("lifted").value(JsonArray.ofStrings(evaluated.lifted()));
    }
    if (!properties.fromPack().isEmpty()) {
      details.member(PACK_PROPERTIES).value(properties.fromPack());
    }
    details.member("request_id").text(request.sender().requestId());
    if (request.reserve()) {
      details.member("reserve").bool(true);
    }
    return details.close().bytes();
  }
}
