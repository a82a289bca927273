/**
 * What can go wrong for a caller, as one sealed type; the HTTP status of each is decided in {@code
 * http}.
 */
@NullMarked
package dev.safeconduct.problem;

import org.jspecify.annotations.NullMarked;
