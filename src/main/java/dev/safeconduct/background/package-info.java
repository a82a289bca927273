/** Threads that work beside the requests. */
@NullMarked
package dev.safeconduct.background;

import org.jspecify.annotations.NullMarked;
