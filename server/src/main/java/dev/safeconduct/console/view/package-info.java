/** Wording, formats and layout of pages. */
@NullMarked
package dev.safeconduct.console.view;

import org.jspecify.annotations.NullMarked;
