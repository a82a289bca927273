/** The rules about finished tasks: what was attested, by whom, and what the output holds. */
@NullMarked
package dev.safeconduct.decision.task;

import org.jspecify.annotations.NullMarked;
