/** Background threads. */
@NullMarked
package dev.safeconduct.concurrent;

import org.jspecify.annotations.NullMarked;
