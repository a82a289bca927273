/** The agents' passports: shape, status, capabilities, limits, and where they are kept. */
@NullMarked
package dev.safeconduct.passport;

import org.jspecify.annotations.NullMarked;
