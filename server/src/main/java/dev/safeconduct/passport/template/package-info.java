/** The rules that keep a passport within its template, or within a preset. */
@NullMarked
package dev.safeconduct.passport.template;

import org.jspecify.annotations.NullMarked;
