/**
 * HTTP: the route table (which is the permission table), limits, errors and the server itself; the
 * only room that knows the server library. Enter by {@link dev.safeconduct.http.HttpServer}.
 */
@NullMarked
package dev.safeconduct.http;

import org.jspecify.annotations.NullMarked;
