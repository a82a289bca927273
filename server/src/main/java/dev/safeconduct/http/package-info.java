/**
 * HTTP: the route table with its permissions, limits and errors, and the assets of pages. Only
 * {@link dev.safeconduct.http.server} uses the server library. The entry point is {@link
 * dev.safeconduct.http.HttpServer}.
 */
@NullMarked
package dev.safeconduct.http;

import org.jspecify.annotations.NullMarked;
