/** The narrowest capabilities and limits that would have allowed what was allowed. */
@NullMarked
package dev.safeconduct.simulate.suggest;

import org.jspecify.annotations.NullMarked;
