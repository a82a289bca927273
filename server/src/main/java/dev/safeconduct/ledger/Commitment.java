package dev.safeconduct.ledger;

import dev.safeconduct.json.JsonWriter;
import dev.safeconduct.text.Sha256;
import dev.safeconduct.tlog.TreeHash;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * The commitment that the Merkle log holds for a record: SHA-256 over a random salt and the
 * record's digest. Without the salt the commitment reveals nothing. Contents can therefore be
 * erased together with the salt, and the tree still verifies.
 *
 * <p>A record's digest is the SHA-256 of its RFC 8785 form as {@code GET /api/audit/{record_id}}
 * returns it, without {@code log_index} and {@code salt}.
 *
 * @param salt 16 random bytes; empty when the record was erased
 * @param entry the 32 bytes that are the leaf's content
 */
@SuppressWarnings("ArrayRecordComponent") // compared by matches()
public record Commitment(byte[] salt, byte[] entry) {
  /** The salt's length in bytes, enough that a salt cannot be guessed. */
  public static final int SALT_BYTES = 16;

  /** Commits to the record with a new salt. */
  public static Commitment to(AuditRecord record, SecureRandom random) {
    var salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return new Commitment(salt, entry(salt, digest(record)));
  }

  /** Returns whether this is the commitment to exactly that record. */
  public boolean matches(AuditRecord record) {
    return salt.length == SALT_BYTES && MessageDigest.isEqual(entry, entry(salt, digest(record)));
  }

  /** Returns whether the record's contents and the salt were erased. */
  public boolean isErased() {
    return salt.length == 0;
  }

  /** The leaf's hash in the tree. */
  public byte[] leafHash() {
    return TreeHash.leaf(entry);
  }

  private static byte[] entry(byte[] salt, byte[] digest) {
    return Sha256.of(salt, digest);
  }

  /** Writes the members in canonical order. */
  private static byte[] digest(AuditRecord record) {
    JsonWriter json = JsonWriter.inOrder().open();
    record.agent().ifPresent(agent -> json.member("agent_id").text(agent.value()));
    record.allow().ifPresent(allow -> json.member("allow").bool(allow));
    json.member("at").millis(record.at()).member("body").raw(record.body());
    record.code().ifPresent(code -> json.member("code").text(code));
    json.member("details").raw(record.details());
    json.member("kind").text(record.kind().wire());
    json.member("org_id").text(record.org().value());
    record.policyId().ifPresent(policy -> json.member("policy_id").text(policy));
    json.member("record_id").uuid(record.id());
    if (record.signature().length > 0) {
      json.member("signature").base64(AuditRecord.SIGNATURE_PREFIX, record.signature());
    }
    return json.close().sha256();
  }
}
