package dev.safeconduct.verify;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/**
 * A decision as it was signed and recorded.
 *
 * @param document the signed object
 * @param canonical its RFC 8785 bytes: what the signature covers
 * @param signature 64 bytes
 * @param logIndex its place in the audit log
 */
@SuppressWarnings("ArrayRecordComponent") // written out once, never compared
record SignedDecision(JsonObject document, byte[] canonical, byte[] signature, long logIndex) {
  /** {@code decision_id}. */
  UUID id() {
    return UUID.fromString(document.string("decision_id").orElseThrow());
  }

  /** {@code issued_at}. */
  Instant issuedAt() {
    return document.string("issued_at").flatMap(IsoInstant::parse).orElseThrow();
  }

  /** A decision out of the log. */
  static SignedDecision of(StoredRecord stored) {
    AuditRecord record = stored.entry();
    try {
      return new SignedDecision(
          Json.parseObject(record.body()), record.body(), record.signature(), stored.logIndex());
    } catch (JsonFault e) {
      throw new IllegalStateException("a recorded decision is not JSON", e);
    }
  }

  boolean allow() {
    return document.isTrue("allow");
  }

  /** The code of its first reason. */
  String code() {
    return ofReason("code");
  }

  /** The message of its first reason. */
  String reason() {
    return ofReason("message");
  }

  private String ofReason(String member) {
    return document
        .array("reasons")
        .filter(reasons -> !reasons.isEmpty())
        .map(reasons -> reasons.get(0))
        .filter(JsonObject.class::isInstance)
        .flatMap(first -> ((JsonObject) first).string(member))
        .orElse("");
  }
}
