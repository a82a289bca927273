package dev.safeconduct.mcp;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.FetchSite;
import dev.safeconduct.http.InnerCalls;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code POST /mcp}: one JSON-RPC message of an MCP client, answered with JSON. */
public final class McpEndpoint {
  private static final List<String> OF_PROBLEM = List.of("error", "message", "field", "details");

  private final boolean on;
  private final Set<String> origins;
  private final McpMethods methods;
  private final InnerCalls api;

  /**
   * @param on whether the operator has switched the MCP server on
   * @param origins other sites whose pages may call
   * @param api the routes of the API
   */
  public McpEndpoint(boolean on, Set<String> origins, McpMethods methods, InnerCalls api) {
    this.on = on;
    this.origins = origins;
    this.methods = methods;
    this.api = api;
  }

  public List<Route> routes() {
    return List.of(Route.post("/mcp", Permission.scope(Scope.READ), this::answer).verify());
  }

  private Response answer(Request request) {
    if (!on) {
      throw new Problem.NotFound(
              "The MCP server is off. The operator switches it on with MCP_SERVER=true.",
              "mcp_server_off",
              Map.of())
          .toException();
    }
    JsonObject message = JsonObject.EMPTY;
    try {
      refuseOtherSites(request);
      message = message(request);
      RpcCall call = RpcCall.read(message, request::header);
      return call.isNotification()
          ? Response.empty(202)
          : Response.json(200, response(message).put("result", result(call, request)).build());
    } catch (RpcException e) {
      return Response.json(e.status(), response(message).put("error", e.error()).build());
    }
  }

  /** Other sites' pages in the user's browser may reach a server that only listens locally. */
  private void refuseOtherSites(Request request) throws RpcException {
    String origin = request.header("Origin").orElse("");
    if ((request.site() == FetchSite.OTHER || origin.equals("null")) && !origins.contains(origin)) {
      throw new RpcException(
          403, RpcException.INVALID_REQUEST, "Pages of this origin may not call the MCP server.");
    }
  }

  private static JsonObject message(Request request) throws RpcException {
    JsonValue message;
    try {
      message = Json.parse(request.body());
    } catch (JsonFault e) {
      throw new RpcException(400, RpcException.PARSE_ERROR, String.valueOf(e.getMessage()));
    }
    if (message instanceof JsonObject object) {
      return object;
    }
    throw new RpcException(
        400, RpcException.INVALID_REQUEST, "Send one JSON-RPC message; there are no batches.");
  }

  private static JsonObject.Builder response(JsonObject message) {
    JsonObject.Builder response = JsonObject.builder().put("jsonrpc", "2.0");
    @Nullable JsonValue id = message.get("id");
    return id != null && RpcCall.isId(id) ? response.put("id", id) : response;
  }

  private JsonObject result(RpcCall call, Request request) throws RpcException {
    Asker asker = asker(request);
    try {
      return methods.answer(call, asker);
    } catch (ProblemException e) {
      // Models read the result of a tool, and correct their next call by it.
      return methods.refused(call, request.several().error(e.problem()).only(OF_PROBLEM));
    }
  }

  private Asker asker(Request request) {
    return new Asker(
        request.caller(),
        request
            .header("Safeconduct-Agent")
            .or(() -> request.query("agent_id"))
            .or(() -> Rights.of(request.caller()).boundTo().map(AgentId::value)),
        (policyId, query, body) -> verify(request, policyId, query, body));
  }

  private JsonObject verify(Request request, String policyId, String query, JsonObject body) {
    String path = "/api/verify/policy/" + PolicyId.parse(policyId).map(PolicyId::value).orElse("_");
    if (query.isEmpty()) {
      request.several().count(1);
    }
    return (JsonObject)
        api.call(request, request.caller(), "POST", path + "?" + query, body, Map.of(), false);
  }
}
