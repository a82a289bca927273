/** The verify use case: an action is evaluated, signed, recorded and then answered. */
@NullMarked
package dev.safeconduct.verify;

import org.jspecify.annotations.NullMarked;
