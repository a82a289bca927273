/** Plans and applies files that describe an organization's objects. */
@NullMarked
package dev.safeconduct.deploy;

import org.jspecify.annotations.NullMarked;
