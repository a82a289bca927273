/** A running service, a scripted MCP server and clients, for tests. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.testkit;
