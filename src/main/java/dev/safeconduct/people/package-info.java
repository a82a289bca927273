/** Organizations and the humans in them. */
@NullMarked
package dev.safeconduct.people;

import org.jspecify.annotations.NullMarked;
