/**
 * Keeps everything, in SQLite or PostgreSQL: one thread writes, many read. Start at {@link
 * dev.safeconduct.store.Store}.
 */
@NullMarked
package dev.safeconduct.store;

import org.jspecify.annotations.NullMarked;
