package dev.safeconduct.audit.stream;

import dev.safeconduct.audit.RecordJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import java.time.Instant;

/**
 * A record in the form in which it is sent.
 *
 * @param index its position in the log
 * @param json the record or its OCSF event, in one line
 */
record StreamRecord(
    long index,
    String id,
    RecordKind kind,
    String org,
    Instant at,
    Severity severity,
    String json) {

  /** How much attention a record deserves, by RFC 5424 section 6.2.1. */
  enum Severity {
    WARNING(4),
    NOTICE(5),
    INFORMATIONAL(6);

    private final int code;

    Severity(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    /** A deny and an erasure warn, other changes are of note, and the rest informs. */
    static Severity of(StoredRecord stored) {
      return switch (stored.entry().kind()) {
        case DECISION -> stored.entry().allow().orElse(true) ? INFORMATIONAL : WARNING;
        case ERASURE -> WARNING;
        case HOOK_CALL, RESERVATION_COMMITTED, RESERVATION_RELEASED, LOGIN -> INFORMATIONAL;
        default -> NOTICE;
      };
    }
  }

  static StreamRecord of(StoredRecord stored, AuditStream.Format format) {
    return new StreamRecord(
        stored.logIndex(),
        stored.entry().id().toString(),
        stored.entry().kind(),
        stored.entry().org().value(),
        stored.entry().at(),
        Severity.of(stored),
        Json.text(
            format == AuditStream.Format.OCSF ? OcsfEvent.of(stored) : RecordJson.record(stored)));
  }
}
