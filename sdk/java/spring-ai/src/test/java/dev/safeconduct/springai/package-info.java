@NullMarked
package dev.safeconduct.springai;

import org.jspecify.annotations.NullMarked;
