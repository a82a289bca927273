/** Clients and servers of different revisions of MCP: with sessions, and without. */
@NullMarked
package dev.safeconduct.gateway.bridge;

import org.jspecify.annotations.NullMarked;
