/** Tests of the gateway with the service and MCP servers. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway;
