/**
 * Paths as text: their forms, normalisation, patterns and built-in lists (validators section 2).
 */
@NullMarked
package dev.safeconduct.decision.path;

import org.jspecify.annotations.NullMarked;
