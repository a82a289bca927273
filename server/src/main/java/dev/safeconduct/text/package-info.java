/**
 * Text: folding for block-lists, exact comparison for allow-lists, and the compiled templates of
 * pages and emails.
 */
@NullMarked
package dev.safeconduct.text;

import org.jspecify.annotations.NullMarked;
