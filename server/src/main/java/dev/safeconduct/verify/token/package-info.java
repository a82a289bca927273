/** Decision tokens, and immediate notification of their holders about changes. */
@NullMarked
package dev.safeconduct.verify.token;

import org.jspecify.annotations.NullMarked;
