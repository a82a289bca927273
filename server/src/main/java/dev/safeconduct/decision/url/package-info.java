/**
 * URL parsing, and rules for URLs, hosts, headers and MCP servers (validator catalogue 3). The
 * rules evaluate text only and never ask a name server.
 */
@NullMarked
package dev.safeconduct.decision.url;

import org.jspecify.annotations.NullMarked;
