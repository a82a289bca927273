/** What the operator reports of the world outside, for the rules that look at it. */
@NullMarked
package dev.safeconduct.feed;

import org.jspecify.annotations.NullMarked;
