/** Typed, fail-at-once reading of the environment. */
@NullMarked
package dev.safeconduct.config;

import org.jspecify.annotations.NullMarked;
