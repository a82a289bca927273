/**
 * Text: folding for block-lists, exact comparison for allow-lists, the compiled templates of pages
 * and emails, and documents that are made at their first use.
 */
@NullMarked
package dev.safeconduct.text;

import org.jspecify.annotations.NullMarked;
