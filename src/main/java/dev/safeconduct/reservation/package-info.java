/** Settling what an allow took for now: its charges are kept for good, or given back. */
@NullMarked
package dev.safeconduct.reservation;

import org.jspecify.annotations.NullMarked;
