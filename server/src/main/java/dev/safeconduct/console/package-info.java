/** The console: pages for the people who supervise agents, built on the HTTP API. */
@NullMarked
package dev.safeconduct.console;

import org.jspecify.annotations.NullMarked;
