package dev.safeconduct.audit;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import java.util.HexFormat;

/** Records as JSON for responses. */
public final class RecordJson {
  private RecordJson() {}

  /** Returns the record with all stored data. */
  public static JsonObject record(StoredRecord stored) {
    AuditRecord record = stored.entry();
    JsonObject.Builder json =
        JsonObject.builder()
            .put("record_id", record.id().toString())
            .put("log_index", stored.logIndex())
            .put("kind", record.kind().wire())
            .put("org_id", record.org().value())
            .put("at", IsoInstant.millis(record.at()));
    if (stored.commitment().isErased()) {
      // In place of what the leaf was made from, so that an export alone gives the log's root.
      return json.put("erased", true).put("leaf_hash", leafHash(stored)).build();
    }
    record.agent().ifPresent(agent -> json.put("agent_id", agent.value()));
    record.policyId().ifPresent(policy -> json.put("policy_id", policy));
    record.allow().ifPresent(allow -> json.put("allow", allow));
    record.code().ifPresent(code -> json.put("code", code));
    json.put("body", Json.own(record.body()));
    if (record.signature().length > 0) {
      json.put("signature", record.signatureText());
    }
    json.put("details", Json.own(record.details()));
    return json.put("salt", HexFormat.of().formatHex(stored.commitment().salt())).build();
  }

  static String leafHash(StoredRecord stored) {
    return HexFormat.of().formatHex(stored.commitment().leafHash());
  }

  /** Returns a decision as the verify call returned it: flat, and again under {@code decision}. */
  static JsonObject decision(StoredRecord stored) {
    JsonObject decision =
        Json.own(stored.entry().body()).toBuilder()
            .put(DecisionJson.LOG_INDEX, stored.logIndex())
            .put(DecisionJson.SIGNATURE, stored.entry().signatureText())
            .build();
    return decision.with("decision", decision);
  }
}
