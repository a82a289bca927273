/**
 * The audit log as a Merkle tree (RFC 6962, C2SP tlog-tiles): hashes, proofs, tiles, checkpoints.
 * Sees bytes, never records.
 */
@NullMarked
package dev.safeconduct.audit.tlog;

import org.jspecify.annotations.NullMarked;
