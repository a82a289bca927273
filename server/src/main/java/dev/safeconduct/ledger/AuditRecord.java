package dev.safeconduct.ledger;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/**
 * An audit log entry before it has a position in the log.
 *
 * @param id the record's id (UUIDv7, RFC 9562); a decision's is its {@code decision_id}
 * @param org the organization whose log it belongs to
 * @param at when it happened, to the millisecond
 * @param agent the agent concerned
 * @param policyId the pack that decided; decisions only
 * @param allow the outcome; decisions only
 * @param code the first reason's code; decisions only
 * @param body RFC 8785 bytes of the record; for a decision exactly the bytes that were signed
 * @param signature the Ed25519 signature over {@code body} (64 bytes), or no bytes when unsigned
 * @param details compact JSON about the origin: caller, address, request id, and for a decision the
 *     redacted context
 */
@SuppressWarnings("ArrayRecordComponent") // bytes that are written once and never compared
public record AuditRecord(
    UUID id,
    RecordKind kind,
    OrgId org,
    Instant at,
    Optional<AgentId> agent,
    Optional<String> policyId,
    Optional<Boolean> allow,
    Optional<String> code,
    byte[] body,
    byte[] signature,
    byte[] details) {
  /** The prefix of a signature's text form. */
  public static final String SIGNATURE_PREFIX = "ed25519:";

  /** The signature as responses and commitments encode it: the prefix and standard base64. */
  public String signatureText() {
    return SIGNATURE_PREFIX + Base64.getEncoder().encodeToString(signature);
  }
}
