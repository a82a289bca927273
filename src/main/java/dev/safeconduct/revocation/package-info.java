/** Telling those who hold decisions what has changed, as soon as it has. */
@NullMarked
package dev.safeconduct.revocation;

import org.jspecify.annotations.NullMarked;
