/** The agents' passports: form, status, capabilities, limits and storage. */
@NullMarked
package dev.safeconduct.passport;

import org.jspecify.annotations.NullMarked;
