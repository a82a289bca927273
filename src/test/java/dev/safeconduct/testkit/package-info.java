/** What tests of several rooms share. */
@NullMarked
package dev.safeconduct.testkit;

import org.jspecify.annotations.NullMarked;
