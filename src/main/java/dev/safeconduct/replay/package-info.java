/** Judging recorded decisions again, by a pack that was not there when they were made. */
@NullMarked
package dev.safeconduct.replay;

import org.jspecify.annotations.NullMarked;
