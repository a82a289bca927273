/**
 * Other people's habits, turned into our own terms: the dialects and older addresses of open
 * clients.
 */
@NullMarked
package dev.safeconduct.compat;

import org.jspecify.annotations.NullMarked;
