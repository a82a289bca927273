/** The MCP gateway: every request of a client is checked before a server sees it. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway;
