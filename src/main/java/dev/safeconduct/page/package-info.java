/** HTML: compiled templates, the one stylesheet, and the headers every page carries. */
@NullMarked
package dev.safeconduct.page;

import org.jspecify.annotations.NullMarked;
