/**
 * What a URL says, and which rules about URLs, hosts, headers and MCP servers it meets (validator
 * catalogue 3). Judges text alone: nothing here asks a name server.
 */
@NullMarked
package dev.safeconduct.decision.url;

import org.jspecify.annotations.NullMarked;
