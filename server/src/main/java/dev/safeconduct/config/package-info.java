/** Typed reading of the environment, which reports all faults at startup. */
@NullMarked
package dev.safeconduct.config;

import org.jspecify.annotations.NullMarked;
