/** HTML: compiled templates, the common stylesheet, and the security headers of every page. */
@NullMarked
package dev.safeconduct.html;

import org.jspecify.annotations.NullMarked;
