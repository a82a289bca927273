/**
 * The server library, Jetty, behind an interface; only this package uses it. It listens, limits
 * connections, and passes each request on as a {@link dev.safeconduct.http.server.Call}. The entry
 * point is {@link dev.safeconduct.http.server.WebServer}.
 */
@NullMarked
package dev.safeconduct.http.server;

import org.jspecify.annotations.NullMarked;
