/**
 * The packs that organizations write for themselves: their versions, which of them decides, and
 * which node uses which.
 */
@NullMarked
package dev.safeconduct.policy.hosted;

import org.jspecify.annotations.NullMarked;
