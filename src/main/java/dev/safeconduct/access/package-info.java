/** Who is calling: API keys, the admin token and the scopes they open. */
@NullMarked
package dev.safeconduct.access;

import org.jspecify.annotations.NullMarked;
