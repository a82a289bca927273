/** Feeds: external values that the operator reports and rules read. */
@NullMarked
package dev.safeconduct.feed;

import org.jspecify.annotations.NullMarked;
