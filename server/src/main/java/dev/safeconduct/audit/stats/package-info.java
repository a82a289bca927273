/** Counts of decisions for display, computed from the log in the background. */
@NullMarked
package dev.safeconduct.audit.stats;

import org.jspecify.annotations.NullMarked;
