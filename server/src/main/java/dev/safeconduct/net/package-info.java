/**
 * IP addresses, address ranges, the table of those that are not public, and {@code Retry-After}. It
 * parses text and bytes itself and performs no lookups.
 */
@NullMarked
package dev.safeconduct.net;

import org.jspecify.annotations.NullMarked;
