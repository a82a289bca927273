/**
 * Issues passports: as instances of a template, in an organization's name, or without an account
 * from a preset. Also handles the claims by which a human takes ownership.
 */
@NullMarked
package dev.safeconduct.passport.issue;

import org.jspecify.annotations.NullMarked;
