/** Text comparison: folding for block-lists, exact comparison for allow-lists. */
@NullMarked
package dev.safeconduct.text;

import org.jspecify.annotations.NullMarked;
