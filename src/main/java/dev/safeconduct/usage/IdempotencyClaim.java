package dev.safeconduct.usage;

/**
 * A request's claim to an idempotency key: the first to commit owns it, and an equal request gets
 * the owner's decision again.
 *
 * @param key organization, credential and the caller's key, digested
 * @param request the request itself (agent, pack, canonical body), as a keyed digest (32 bytes)
 * @param basis digest of what it was judged by: passport, status, pack (32 bytes)
 * @param expiresAtMs when the key is free again
 */
@SuppressWarnings("ArrayRecordComponent") // digests; compared with MessageDigest.isEqual
public record IdempotencyClaim(CounterKey key, byte[] request, byte[] basis, long expiresAtMs) {}
