/** The rules about amounts, recipients, goods and exchanges that expressions cannot say. */
@NullMarked
package dev.safeconduct.decision.money;

import org.jspecify.annotations.NullMarked;
