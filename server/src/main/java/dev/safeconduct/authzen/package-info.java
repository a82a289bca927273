/**
 * OpenID AuthZEN Authorization API 1.0: decisions and searches for callers who name subjects,
 * actions and resources, and the service's metadata.
 */
@NullMarked
package dev.safeconduct.authzen;

import org.jspecify.annotations.NullMarked;
