/** The rules about repositories: pull requests, branches and releases (pack catalogue 16, 17). */
@NullMarked
package dev.safeconduct.decision.code;

import org.jspecify.annotations.NullMarked;
