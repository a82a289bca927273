/** Passports for agents without an account, the presets they begin with, and their claims. */
@NullMarked
package dev.safeconduct.issuance;

import org.jspecify.annotations.NullMarked;
