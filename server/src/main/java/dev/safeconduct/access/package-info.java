/** Authentication and authorization: API keys, sessions, their scopes, and rate limits. */
@NullMarked
package dev.safeconduct.access;

import org.jspecify.annotations.NullMarked;
