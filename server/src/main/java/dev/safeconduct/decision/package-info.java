/** The policy decision point: a pure function of pack, passport, context, counters and time. */
@NullMarked
package dev.safeconduct.decision;

import org.jspecify.annotations.NullMarked;
