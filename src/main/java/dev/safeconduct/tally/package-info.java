/** Counts of decisions for people to look at, made from the log behind the back of deciding. */
@NullMarked
package dev.safeconduct.tally;

import org.jspecify.annotations.NullMarked;
