package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.bridge.BridgedUpstream;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.policy.PolicyClient;

/**
 * One server behind the gateway, at {@code /mcp/<name>}.
 *
 * @param tools learned from the server's lists
 */
public record McpEndpoint(
    String name, PolicyClient policy, BridgedUpstream.Connector connector, ToolHeaders tools) {}
