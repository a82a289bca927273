/**
 * What happened, kept for good: records, the log that holds them, and the feed of changes that
 * outdate cached facts.
 */
@NullMarked
package dev.safeconduct.audit;

import org.jspecify.annotations.NullMarked;
