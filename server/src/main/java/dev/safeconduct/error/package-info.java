/** Errors of requests as one sealed type; package {@code http} decides the HTTP status of each. */
@NullMarked
package dev.safeconduct.error;

import org.jspecify.annotations.NullMarked;
