/** How texts are compared: folding for block-lists, exact comparison for allow-lists. */
@NullMarked
package dev.safeconduct.text;

import org.jspecify.annotations.NullMarked;
