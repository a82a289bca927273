/** Asks before tools run. */
@NullMarked
package dev.safeconduct.adk;

import org.jspecify.annotations.NullMarked;
