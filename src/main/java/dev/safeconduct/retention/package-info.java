/** How long an organization's records are kept whole, and erasing them before. */
@NullMarked
package dev.safeconduct.retention;

import org.jspecify.annotations.NullMarked;
