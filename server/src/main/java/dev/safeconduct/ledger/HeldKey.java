package dev.safeconduct.ledger;

import java.security.MessageDigest;
import java.util.UUID;

/** The owner of an idempotency key: the request, its basis and its decision record. */
@SuppressWarnings("ArrayRecordComponent") // compared with MessageDigest.isEqual
record HeldKey(byte[] request, byte[] basis, UUID recordId, long expiresAtMs) {
  static HeldKey of(IdempotencyClaim claim, UUID recordId) {
    return new HeldKey(claim.request(), claim.basis(), recordId, claim.expiresAtMs());
  }

  /** Returns the same key, released. */
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
