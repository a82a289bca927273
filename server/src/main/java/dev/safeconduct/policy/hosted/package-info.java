/**
 * Packs that organizations write for themselves: their versions, the active version, and the
 * versions each node uses.
 */
@NullMarked
package dev.safeconduct.policy.hosted;

import org.jspecify.annotations.NullMarked;
