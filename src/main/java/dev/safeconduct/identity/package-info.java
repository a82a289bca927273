/** Who is meant: organizations, agents, callers and the scopes they hold. */
@NullMarked
package dev.safeconduct.identity;

import org.jspecify.annotations.NullMarked;
