package dev.safeconduct.ledger;

/**
 * A request's claim to an idempotency key. The first request to commit owns the key; an equal
 * request gets the owner's decision again.
 *
 * @param key organization, credential and the caller's key, digested
 * @param request the request itself (agent, pack, canonical body), as a keyed digest (32 bytes)
 * @param basis digest of the basis of evaluation: passport, status, pack (32 bytes)
 * @param expiresAtMs when the key is released
 */
@SuppressWarnings("ArrayRecordComponent") // digests; compared with MessageDigest.isEqual
public record IdempotencyClaim(CounterKey key, byte[] request, byte[] basis, long expiresAtMs) {}
