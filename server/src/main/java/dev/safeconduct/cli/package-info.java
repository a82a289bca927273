/** One class for each command of {@code bin/safeconduct}. */
@NullMarked
package dev.safeconduct.cli;

import org.jspecify.annotations.NullMarked;
