/** Command lines: what a shell would run, judged without running it (validators section 4). */
@NullMarked
package dev.safeconduct.decision.shell;

import org.jspecify.annotations.NullMarked;
