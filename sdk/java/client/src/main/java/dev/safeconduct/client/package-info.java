/** A client of Safeconduct: ask before an agent acts. Start at {@link Safeconduct}. */
@NullMarked
package dev.safeconduct.client;

import org.jspecify.annotations.NullMarked;
