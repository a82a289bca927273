/** New signing keys in place of old ones, and what becomes of a key that leaked. */
@NullMarked
package dev.safeconduct.signing.rotation;

import org.jspecify.annotations.NullMarked;
