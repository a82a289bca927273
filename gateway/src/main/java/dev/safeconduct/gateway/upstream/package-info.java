/** Connections to MCP servers. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.upstream;
