/**
 * The service's own MCP server: agents ask here before they plan. The Model Context Protocol in the
 * revisions from 2025-03-26 to 2026-07-28, over Streamable HTTP with JSON responses and no
 * sessions.
 */
@NullMarked
package dev.safeconduct.mcp;

import org.jspecify.annotations.NullMarked;
