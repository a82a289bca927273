@NullMarked
package dev.safeconduct.langchain4j;

import org.jspecify.annotations.NullMarked;
