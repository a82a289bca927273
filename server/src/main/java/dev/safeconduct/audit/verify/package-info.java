/** Verifies the whole log, receipts and erasures without trust in the service. */
@NullMarked
package dev.safeconduct.audit.verify;

import org.jspecify.annotations.NullMarked;
