/** The rules about data that comes in and goes out (pack catalogue 13 to 15). */
@NullMarked
package dev.safeconduct.decision.data;

import org.jspecify.annotations.NullMarked;
