/** The entry point of the program. */
@NullMarked
package dev.safeconduct;

import org.jspecify.annotations.NullMarked;
