package dev.safeconduct.audit;

import dev.safeconduct.audit.tlog.TreeHash;
import dev.safeconduct.digest.Sha256;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
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

  private static final byte[] BODY = ",\"body\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DETAILS = ",\"details\":".getBytes(StandardCharsets.US_ASCII);

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

  /** Fed part by part in the canonical order of the members, so that nothing is copied. */
  private static byte[] digest(AuditRecord record) {
    MessageDigest sha = Sha256.begin();
    JsonObject.Builder head = JsonObject.builder();
    record.agent().ifPresent(agent -> head.put("agent_id", agent.value()));
    record.allow().ifPresent(allow -> head.put("allow", allow));
    byte[] first = CanonicalJson.bytes(head.put("at", IsoInstant.millis(record.at())).build());
    sha.update(first, 0, first.length - 1);
    sha.update(BODY);
    sha.update(record.body());
    if (record.code().isPresent()) {
      byte[] code =
          CanonicalJson.bytes(JsonObject.builder().put("code", record.code().get()).build());
      sha.update((byte) ',');
      sha.update(code, 1, code.length - 2);
    }
    sha.update(DETAILS);
    sha.update(record.details());
    JsonObject.Builder tail =
        JsonObject.builder().put("kind", record.kind().wire()).put("org_id", record.org().value());
    record.policyId().ifPresent(policy -> tail.put("policy_id", policy));
    tail.put("record_id", record.id().toString());
    if (record.signature().length > 0) {
      tail.put("signature", signature(record));
    }
    byte[] last = CanonicalJson.bytes(tail.build());
    sha.update((byte) ',');
    sha.update(last, 1, last.length - 1);
    return sha.digest();
  }

  /** As answers spell it. */
  static String signature(AuditRecord record) {
    return "ed25519:" + Base64.getEncoder().encodeToString(record.signature());
  }
}
