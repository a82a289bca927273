/** Rules for amounts, recipients, goods and exchanges that expressions cannot express. */
@NullMarked
package dev.safeconduct.decision.rules;

import org.jspecify.annotations.NullMarked;
