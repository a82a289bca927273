/**
 * The service's composition root: {@code Main} reads the environment, {@code Service} wires the
 * rooms.
 */
@NullMarked
package dev.safeconduct;

import org.jspecify.annotations.NullMarked;
