package dev.safeconduct.authzen;

import dev.safeconduct.json.JsonObject;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The requests of MCP gateways by COAZ-MCP draft 1 (OpenID AuthZEN), as requests for {@code
 * mcp.tool.execute.v1}. The draft has no rows for the methods of revision 2026-07-28; those here
 * follow its others. A method without a row is denied, as the draft demands.
 */
final class McpMapping {
  private static final String POLICY = "mcp.tool.execute.v1";
  private static final String TOOL = "tool";
  private static final String SERVER = "server";
  private static final String MCP_SERVER = "mcp_server";
  private static final String PARAMETERS = "parameters";

  /** By the type of the resource, the parameter that has its id. */
  private static final Map<String, String> ID_PARAMETERS =
      Map.of("resource", "uri", "prompt", "name", "task", "taskId");

  /** By the type of the resource, the tool of each method. */
  private static final Map<String, Map<String, String>> TOOLS =
      Map.of(
          TOOL,
          Map.of("tools/call", ""),
          "resource",
          Map.of(
              "resources/read", "resources.read",
              "resources/subscribe", "resources.read",
              "resources/unsubscribe", "resources.read",
              "completion/complete", "completion.complete"),
          "prompt",
          Map.of("prompts/get", "prompts.get", "completion/complete", "completion.complete"),
          "task",
          Map.of(
              "tasks/get", "server.connect",
              "tasks/result", "server.connect",
              "tasks/update", "server.connect",
              "tasks/cancel", "server.connect"),
          MCP_SERVER,
          Map.of(
              "initialize", "server.connect",
              "server/discover", "server.connect",
              "tools/list", "server.connect",
              "tasks/list", "server.connect",
              "logging/setLevel", "server.connect",
              "resources/list", "resources.read",
              "resources/templates/list", "resources.read",
              "subscriptions/listen", "resources.read",
              "prompts/list", "prompts.get"));

  private McpMapping() {}

  /** Returns the methods that act on a type of resource. */
  static Set<String> methods(String resourceType) {
    return new TreeSet<>(TOOLS.getOrDefault(resourceType, Map.of()).keySet());
  }

  /**
   * Returns the request for the pack of MCP tools; empty if the action is not a method of MCP on
   * the type of the resource. Its members come twice, so that a contradiction is a fault.
   *
   * @param server the MCP server of the gateway's address; a request may not name another
   */
  static Optional<EvaluationRequest> of(EvaluationRequest request, Optional<String> server) {
    Entity resource = request.resource();
    String tool = TOOLS.getOrDefault(resource.type(), Map.of()).get(request.action().name());
    if (tool == null) {
      return Optional.empty();
    }
    JsonObject sent = resource.properties().orElse(JsonObject.EMPTY);
    JsonObject context = request.context();
    JsonObject.Builder asked =
        request.action().properties().orElse(JsonObject.EMPTY).toBuilder()
            .put(TOOL, tool.isEmpty() ? resource.id() : tool);
    asked.putIfPresent(
        SERVER, resource.type().equals(MCP_SERVER) ? Optional.of(resource.id()) : server);
    String parameter = ID_PARAMETERS.get(resource.type());
    if (parameter != null) {
      asked.put(PARAMETERS, JsonObject.EMPTY.with(parameter, resource.id()));
    } else if (sent.present(PARAMETERS) == null && context.present(PARAMETERS) == null) {
      asked.put(PARAMETERS, JsonObject.EMPTY);
    }
    return Optional.of(
        new EvaluationRequest(
            request.subject(), new Action(POLICY, Optional.of(asked.build())), resource, context));
  }
}
