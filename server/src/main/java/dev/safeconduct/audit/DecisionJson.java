package dev.safeconduct.audit;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.ledger.AuditRecord;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/** Decisions as JSON: the only class that writes and reads their members. */
public final class DecisionJson {
  public static final String AGENT_ID = "agent_id";
  public static final String ALLOW = "allow";
  public static final String ASSURANCE_LEVEL = "assurance_level";
  public static final String CONTEXT_DIGEST = "context_digest";
  public static final String CREATED_AT = "created_at";
  public static final String DECISION_ID = "decision_id";
  public static final String DRY_RUN = "dry_run";
  public static final String EXPIRES_AT = "expires_at";
  public static final String EXPIRES_IN = "expires_in";
  public static final String ISSUED_AT = "issued_at";
  public static final String KID = "kid";

  /** {@code observe} in the decisions for which observe mode lifted a failure; else absent. */
  public static final String MODE = "mode";

  /** The outcome by the policy of a decision with {@link #MODE}. */
  public static final String OBSERVED = "observed";

  public static final String OWNER_ID = "owner_id";
  public static final String PASSPORT_DIGEST = "passport_digest";
  public static final String PASSPORT_ID = "passport_id";
  public static final String PASSPORT_SOURCE = "passport_source";
  public static final String POLICY_DIGEST = "policy_digest";
  public static final String POLICY_ID = "policy_id";
  public static final String POLICY_SOURCE = "policy_source";
  public static final String REASONS = "reasons";

  /** The members of a reason. */
  public static final String CODE = "code";

  public static final String MESSAGE = "message";
  public static final String RULE = "rule";
  public static final String SEVERITY = "severity";

  /** The members of a response in addition to the signed ones. */
  public static final String LOG_INDEX = "log_index";

  public static final String SIGNATURE = "signature";

  private static final String OBSERVE = "observe";

  private DecisionJson() {}

  /** Returns the RFC 8785 bytes to sign; members are written in sorted order, without sorting. */
  public static byte[] canonical(Decision decision) {
    JsonWriter json = JsonWriter.inOrder().open();
    Decision.Agent agent = decision.agent();
    Decision.Policy policy = decision.policy();
    Decision.Validity validity = decision.validity();
    json.member(AGENT_ID).text(agent.agentId());
    json.member(ALLOW).bool(decision.allow());
    json.member(ASSURANCE_LEVEL).text(agent.assuranceLevel());
    json.member(CONTEXT_DIGEST).text(decision.contextDigest());
    json.member(CREATED_AT).seconds(validity.issuedAt());
    json.member(DECISION_ID).uuid(decision.id());
    json.member(DRY_RUN).bool(validity.dryRun());
    json.member(EXPIRES_AT).seconds(validity.expiresAt());
    json.member(EXPIRES_IN).number(validity.expiresIn());
    json.member(ISSUED_AT).millis(validity.issuedAt());
    json.member(KID).text(decision.kid());
    Optional<Decision.Reason> observed = decision.result().observed();
    if (observed.isPresent()) {
      json.member(MODE).text(OBSERVE);
      json.member(OBSERVED).open().member(ALLOW).bool(false);
      reasons(json, observed.get(), false).close();
    }
    json.member(OWNER_ID).text(decision.owner().value());
    json.member(PASSPORT_DIGEST).text(agent.digest());
    json.member(PASSPORT_ID).text(agent.passportId());
    json.member(PASSPORT_SOURCE).text(agent.source().wire());
    json.member(POLICY_DIGEST).text(policy.digest());
    json.member(POLICY_ID).text(policy.id());
    json.member(POLICY_SOURCE).text(policy.source().wire());
    return reasons(json, decision.reason(), decision.allow()).close().bytes();
  }

  private static JsonWriter reasons(JsonWriter json, Decision.Reason reason, boolean allow) {
    json.member(REASONS).openArray().open();
    json.member(CODE).text(reason.code());
    json.member(MESSAGE).text(reason.message());
    if (reason.rule().isPresent()) {
      json.member(RULE).text(reason.rule().get());
    }
    json.member(SEVERITY).text(severity(allow)).close();
    return json.closeArray();
  }

  public static String severity(boolean allow) {
    return allow ? "info" : "error";
  }

  /** Parses a decision from the object; empty when it is not a valid one, or was erased. */
  public static Optional<Decision> read(JsonObject json) {
    Optional<UUID> id = json.string(DECISION_ID).flatMap(DecisionJson::uuid);
    Optional<Instant> issuedAt = json.string(ISSUED_AT).flatMap(IsoInstant::parse);
    Optional<String> owner = json.string(OWNER_ID);
    Optional<Decision.Reason> reason = reason(json);
    if (id.isEmpty()
        || issuedAt.isEmpty()
        || owner.isEmpty()
        || reason.isEmpty()
        || !(json.get(ALLOW) instanceof JsonBoolean allow)) {
      return Optional.empty();
    }
    return Optional.of(
        new Decision(
            id.get(),
            new OrgId(owner.get()),
            new Decision.Agent(
                text(json, AGENT_ID),
                text(json, PASSPORT_ID),
                text(json, ASSURANCE_LEVEL),
                text(json, PASSPORT_DIGEST),
                Decision.Source.parse(text(json, PASSPORT_SOURCE))),
            new Decision.Policy(
                text(json, POLICY_ID),
                text(json, POLICY_DIGEST),
                Decision.Source.parse(text(json, POLICY_SOURCE))),
            text(json, CONTEXT_DIGEST),
            new Decision.Result(
                allow.value(), reason.get(), json.object(OBSERVED).flatMap(DecisionJson::reason)),
            new Decision.Validity(issuedAt.get(), expiresIn(json), json.isTrue(DRY_RUN)),
            text(json, KID)));
  }

  /** Parses the decision of a record's body; empty when it was erased. */
  public static Optional<Decision> read(byte[] body) {
    return Json.kept(body).flatMap(DecisionJson::read);
  }

  /** Returns the first reason of a decision, for callers that need nothing else of it. */
  public static Optional<Decision.Reason> reason(JsonObject json) {
    return json.array(REASONS)
        .filter(reasons -> !reasons.isEmpty())
        .map(reasons -> reasons.get(0))
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .map(reason ->
            new Decision.Reason(text(reason, CODE), text(reason, MESSAGE), reason.string(RULE)));
  }

  /** Returns the signed members of a response that has additional members. */
  public static JsonObject signed(JsonObject json) {
    return json.without(SIGNATURE).without(LOG_INDEX);
  }

  /** Returns the text of a signature as in responses and records. */
  public static String signature(byte[] signature) {
    return AuditRecord.SIGNATURE_PREFIX + Base64.getEncoder().encodeToString(signature);
  }

  /** Returns the bytes of a signature; empty when it has another form than this service's. */
  public static Optional<byte[]> signature(String text) {
    if (!text.startsWith(AuditRecord.SIGNATURE_PREFIX)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          Base64.getDecoder().decode(text.substring(AuditRecord.SIGNATURE_PREFIX.length())));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static String text(JsonObject json, String name) {
    return json.string(name).orElse("");
  }

  private static int expiresIn(JsonObject json) {
    JsonValue value = json.get(EXPIRES_IN);
    return value instanceof JsonNumber number ? (int) number.value() : 0;
  }

  private static Optional<UUID> uuid(String text) {
    try {
      return Optional.of(UUID.fromString(text));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
