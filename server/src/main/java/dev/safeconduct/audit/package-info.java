/**
 * The audit log for readers: queries, proofs, redaction, retention, erasure, and the endpoints of
 * the signing keys.
 */
@NullMarked
package dev.safeconduct.audit;

import org.jspecify.annotations.NullMarked;
