package dev.safeconduct.store;

import dev.safeconduct.usage.IdempotencyClaim;
import java.security.MessageDigest;
import java.util.UUID;

/** An idempotency key's owner: the request, its basis and the record that answered it. */
@SuppressWarnings("ArrayRecordComponent") // compared with MessageDigest.isEqual
record HeldKey(byte[] request, byte[] basis, UUID recordId, long expiresAtMs) {
  static HeldKey of(IdempotencyClaim claim, UUID recordId) {
    return new HeldKey(claim.request(), claim.basis(), recordId, claim.expiresAtMs());
  }

  /** The same key as one that is free again. */
  HeldKey expired() {
    return new HeldKey(request, basis, recordId, Long.MIN_VALUE);
  }

  boolean sameRequest(IdempotencyClaim claim) {
    return MessageDigest.isEqual(request, claim.request());
  }

  boolean sameBasis(IdempotencyClaim claim) {
    return MessageDigest.isEqual(basis, claim.basis());
  }
}
