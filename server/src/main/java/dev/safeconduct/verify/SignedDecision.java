package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.StoredRecord;

/**
 * A signed and recorded decision.
 *
 * @param canonical its RFC 8785 bytes, which the signature covers
 * @param signature 64 bytes
 * @param logIndex its index in the audit log
 */
@SuppressWarnings("ArrayRecordComponent") // written out once, never compared
public record SignedDecision(Decision decision, byte[] canonical, byte[] signature, long logIndex) {
  /** Returns a decision from the log. */
  static SignedDecision of(StoredRecord stored) {
    byte[] body = stored.entry().body();
    return new SignedDecision(
        DecisionJson.read(body)
            .orElseThrow(() -> new IllegalStateException("a recorded decision cannot be read")),
        body,
        stored.entry().signature(),
        stored.logIndex());
  }

  /** Returns the signed object, for answers that show only a part of it. */
  public JsonObject document() {
    return Json.own(canonical);
  }

  public String signatureText() {
    return DecisionJson.signature(signature);
  }
}
