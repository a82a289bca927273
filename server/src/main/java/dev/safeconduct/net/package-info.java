/**
 * IP addresses, address ranges, and the table of those that are not public. It parses text and
 * bytes itself and performs no lookups.
 */
@NullMarked
package dev.safeconduct.net;

import org.jspecify.annotations.NullMarked;
