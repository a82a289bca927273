/** What both sides of MCP over HTTP share: server-sent events and the headers of 2026-07-28. */
@NullMarked
package dev.safeconduct.gateway.http;

import org.jspecify.annotations.NullMarked;
