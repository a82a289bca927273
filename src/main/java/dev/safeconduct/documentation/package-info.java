/** The documentation people read in a browser: guides, the reference, and a page to try calls. */
@NullMarked
package dev.safeconduct.documentation;

import org.jspecify.annotations.NullMarked;
