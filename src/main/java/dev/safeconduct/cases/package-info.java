/**
 * Judging without a service: cases that say what a pack must decide, and an agent with its counters
 * to ask under it.
 */
@NullMarked
package dev.safeconduct.cases;

import org.jspecify.annotations.NullMarked;
