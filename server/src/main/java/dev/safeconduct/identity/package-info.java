/** Organizations, agents, callers and their scopes. */
@NullMarked
package dev.safeconduct.identity;

import org.jspecify.annotations.NullMarked;
