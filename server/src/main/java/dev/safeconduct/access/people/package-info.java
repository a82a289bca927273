/** Accounts, organizations and their members, and how people sign in. */
@NullMarked
package dev.safeconduct.access.people;

import org.jspecify.annotations.NullMarked;
