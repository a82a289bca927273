package dev.safeconduct.verify;

import dev.safeconduct.audit.RedactedContext;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.policy.AccessModel;

/**
 * The details recorded with a decision: caller, source address and redacted context.
 *
 * @param bytes in RFC 8785 form
 * @param contextDigest over the canonical form of the evaluated context
 */
@SuppressWarnings("ArrayRecordComponent") // written out once, never compared
public record RecordDetails(byte[] bytes, String contextDigest) {
  /** The sources of the context's members that dialects lifted. */
  static final String LIFTED = "lifted";

  /** Which properties of the context's entities the pack provided. */
  public static final String PACK_PROPERTIES = "pack_properties";

  /** Which properties of the caller the pack replaced with another value. */
  public static final String IGNORED_PROPERTIES = "ignored_properties";

  /** The form of an AuthZEN request's context: {@link #ENTITIES} or {@link #PROPERTIES}. */
  public static final String AUTHZEN = "authzen";

  /** The context contains the entities. */
  public static final String ENTITIES = "entities";

  /** The context contains the properties of action and resource, merged. */
  public static final String PROPERTIES = "properties";

  /**
   * Writes the details.
   *
   * @param input the evaluated action
   */
  @SuppressWarnings("ReferenceEquality") // the same object tells that nothing was redacted
  static RecordDetails of(
      VerifyRequest request,
      Outcome outcome,
      EvaluationInput input,
      RedactedContext context,
      Redaction redaction) {
    EvaluatedContext evaluated = input.context();
    JsonWriter details = JsonWriter.inOrder().open();
    details.member("address").text(request.sender().clientAddress());
    if (input.subject().asked().isPresent()) {
      details
          .member(AUTHZEN)
          .text(input.policy().pack().model().isPresent() ? ENTITIES : PROPERTIES);
    }
    details.member("caller").text(request.caller().name());
    if (!outcome.evaluated().isEmpty()) {
      RecordedChecks.write(outcome.evaluated(), details.member(RecordedChecks.NAME));
    }
    int start = details.member("context").length();
    details.canonical(context.shown());
    String digest =
        context.shown() == context.asked()
            ? details.digestFrom(start)
            : CanonicalJson.digest(context.asked());
    if (details.length() - start > Redaction.LONG_OBJECT) {
      details.cut(start).canonical(redaction.shortened(context.shown()));
    }
    AccessModel.Completed properties = evaluated.completed();
    if (!properties.ignored().isEmpty()) {
      details.member(IGNORED_PROPERTIES).value(properties.ignored());
    }
    if (!evaluated.lifted().isEmpty()) {
      details.member(LIFTED).value(JsonArray.ofStrings(evaluated.lifted()));
    }
    if (!properties.fromPack().isEmpty()) {
      details.member(PACK_PROPERTIES).value(properties.fromPack());
    }
    details.member("request_id").text(request.sender().requestId());
    if (request.reserve()) {
      details.member("reserve").bool(true);
    }
    return new RecordDetails(details.close().bytes(), digest);
  }
}
