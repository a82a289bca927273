/**
 * The audit log as a Merkle tree (RFC 6962, C2SP tlog-tiles): hashes, proofs, tiles, checkpoints.
 * It handles bytes, not records.
 */
@NullMarked
package dev.safeconduct.tlog;

import org.jspecify.annotations.NullMarked;
