/** Hashes of bytes. */
@NullMarked
package dev.safeconduct.digest;

import org.jspecify.annotations.NullMarked;
