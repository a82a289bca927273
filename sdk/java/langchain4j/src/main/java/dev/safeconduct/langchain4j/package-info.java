/** Asks before tools run. */
@NullMarked
package dev.safeconduct.langchain4j;

import org.jspecify.annotations.NullMarked;
