/** Settles the reserved charges of an allow: they are committed or released. */
@NullMarked
package dev.safeconduct.reservation;

import org.jspecify.annotations.NullMarked;
