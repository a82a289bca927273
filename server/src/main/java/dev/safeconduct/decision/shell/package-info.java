/** Command lines: static evaluation of the commands a shell would run (validators section 4). */
@NullMarked
package dev.safeconduct.decision.shell;

import org.jspecify.annotations.NullMarked;
