/** The capabilities and limits that a passport may hold, and the checks against them. */
@NullMarked
package dev.safeconduct.passport.catalog;

import org.jspecify.annotations.NullMarked;
