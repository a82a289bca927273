/**
 * Finds faults in packs that compile, for their authors. Each expression is inspected for all
 * values its inputs may have. Start at {@link dev.safeconduct.policy.lint.PackLint}.
 */
@NullMarked
package dev.safeconduct.policy.lint;

import org.jspecify.annotations.NullMarked;
