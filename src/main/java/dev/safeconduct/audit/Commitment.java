package dev.safeconduct.audit;

import dev.safeconduct.audit.tlog.TreeHash;
import dev.safeconduct.digest.Sha256;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonWriter;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * What the Merkle log holds in a record's place: SHA-256 over a random salt and the record's
 * digest. Without the salt nothing can be guessed from it, so contents may be erased together with
 * the salt while the tree goes on to verify.
 *
 * <p>A record's digest is the SHA-256 of its RFC 8785 form as {@code GET /api/audit/{record_id}}
 * gives it, without {@code log_index} and {@code salt}.
 *
 * @param salt 16 random bytes, or none when the record was erased
 * @param entry the 32 bytes that are the leaf's content
 */
@SuppressWarnings("ArrayRecordComponent") // compared by matches()
public record Commitment(byte[] salt, byte[] entry) {
  /** Enough that a salt cannot be guessed. */
  public static final int SALT_BYTES = 16;

  /** About what the members beside body and details take, in bytes. */
  private static final int AROUND = 512;

  /** Commits to the record with a new salt. */
  public static Commitment to(AuditRecord record, SecureRandom random) {
    var salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return new Commitment(salt, entry(salt, digest(record)));
  }

  /** Whether this is the commitment to exactly that record. */
  public boolean matches(AuditRecord record) {
    return salt.length == SALT_BYTES && MessageDigest.isEqual(entry, entry(salt, digest(record)));
  }

  /** Whether the record's contents were erased, and the salt with them. */
  public boolean isErased() {
    return salt.length == 0;
  }

  /** The leaf's hash in the tree. */
  public byte[] leafHash() {
    return TreeHash.leaf(entry);
  }

  private static byte[] entry(byte[] salt, byte[] digest) {
    MessageDigest sha = Sha256.begin();
    sha.update(salt);
    return sha.digest(digest);
  }

  /** In the canonical order of the members; the long ones are not copied. */
  private static byte[] digest(AuditRecord record) {
    JsonWriter around = JsonWriter.inOrder(AROUND).open();
    record.agent().ifPresent(agent -> around.member("agent_id").text(agent.value()));
    record.allow().ifPresent(allow -> around.member("allow").bool(allow));
    around.member("at").text(IsoInstant.millis(record.at())).member("body");
    int body = around.length();
    record.code().ifPresent(code -> around.member("code").text(code));
    around.member("details");
    int details = around.length();
    around.member("kind").text(record.kind().wire());
    around.member("org_id").text(record.org().value());
    record.policyId().ifPresent(policy -> around.member("policy_id").text(policy));
    around.member("record_id").text(record.id().toString());
    if (record.signature().length > 0) {
      around.member("signature").text(signature(record));
    }
    byte[] frame = around.close().bytes();
    MessageDigest sha = Sha256.begin();
    sha.update(frame, 0, body);
    sha.update(record.body());
    sha.update(frame, body, details - body);
    sha.update(record.details());
    sha.update(frame, details, frame.length - details);
    return sha.digest();
  }

  /** As answers spell it. */
  static String signature(AuditRecord record) {
    return "ed25519:" + Base64.getEncoder().encodeToString(record.signature());
  }
}
