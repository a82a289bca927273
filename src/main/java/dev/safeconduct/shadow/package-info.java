/**
 * Trying a version of a pack beside the one that decides: it is judged by as well, later and by
 * another thread, and what it would have decided otherwise is kept. It never changes an answer.
 */
@NullMarked
package dev.safeconduct.shadow;

import org.jspecify.annotations.NullMarked;
