/**
 * HTTP/2 (RFC 9113) on one connection: many requests at once, each a stream, within bounds that the
 * client cannot move. It knows bytes, streams and fields; what a request means is the room above's.
 */
@NullMarked
package dev.safeconduct.http2;

import org.jspecify.annotations.NullMarked;
