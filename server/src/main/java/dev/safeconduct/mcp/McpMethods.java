package dev.safeconduct.mcp;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;

/** Answers the requests of MCP clients of every supported revision. */
public final class McpMethods {
  /** The tools and resources change with the release only. */
  private static final long TTL_MS = 300_000;

  private final McpTools tools;
  private final PolicyCatalog packs;
  private final JsonObject texts;
  private final JsonObject serverInfo;

  /**
   * @param version of the service
   */
  public McpMethods(McpTools tools, PolicyCatalog packs, String version) {
    this.tools = tools;
    this.packs = packs;
    this.texts = ReleaseFile.read("mcp.json");
    this.serverInfo =
        JsonObject.builder()
            .put("name", "safeconduct")
            .put("title", "Safeconduct")
            .put("version", version)
            .build();
  }

  /** Returns the result of a request. */
  JsonObject answer(RpcCall call, Asker asker) throws RpcException {
    return whole(call, result(call, asker));
  }

  /** Returns the result of a tool that was refused for the problem. */
  JsonObject refused(RpcCall call, JsonObject problem) {
    return whole(call, McpTools.result(problem, true));
  }

  private JsonObject whole(RpcCall call, JsonObject result) {
    if (!call.modern()) {
      return result;
    }
    JsonObject.Builder whole =
        JsonObject.builder()
            .put("resultType", "complete")
            .putAll(result)
            .put("_meta", JsonObject.EMPTY.with("io.modelcontextprotocol/serverInfo", serverInfo));
    return (call.method().equals("tools/call")
            ? whole
            : whole.put("ttlMs", TTL_MS).put("cacheScope", "public"))
        .build();
  }

  private JsonObject result(RpcCall call, Asker asker) throws RpcException {
    return switch (call.method()) {
      case "initialize" -> initialize(call);
      case "ping" -> ping(call);
      case "server/discover" ->
          texts
              .only(List.of("capabilities", "instructions"))
              .with("supportedVersions", RpcCall.SUPPORTED);
      case "tools/list" -> list(call, "tools", texts.array("tools").orElseThrow());
      case "tools/call" -> tools.call(call.params(), texts.array("tools").orElseThrow(), asker);
      case "resources/list" -> list(call, "resources", resources());
      case "resources/templates/list" ->
          list(call, "resourceTemplates", texts.array("resourceTemplates").orElseThrow());
      case "resources/read" -> read(call);
      default -> throw RpcException.unknownMethod(call);
    };
  }

  /** The client's version if it is supported, else the newest one that has {@code initialize}. */
  private JsonObject initialize(RpcCall call) throws RpcException {
    call.demandLegacy();
    String version =
        call.params()
            .string("protocolVersion")
            .filter(RpcCall.LEGACY::contains)
            .orElse(RpcCall.LEGACY.getFirst());
    return JsonObject.builder()
        .put("protocolVersion", version)
        .put("serverInfo", serverInfo)
        .putAll(texts.only(List.of("capabilities", "instructions")))
        .build();
  }

  private static JsonObject ping(RpcCall call) throws RpcException {
    call.demandLegacy();
    return JsonObject.EMPTY;
  }

  /** Returns the whole list; no list has a second page, so there is no cursor. */
  private static JsonObject list(RpcCall call, String name, JsonArray all) throws RpcException {
    if (call.params().present("cursor") != null) {
      throw new RpcException(200, RpcException.INVALID_PARAMS, "The list has one page: no cursor.");
    }
    return JsonObject.EMPTY.with(name, all);
  }

  private JsonArray resources() {
    return new JsonArray(
        packs.all().stream()
            .<JsonValue>map(pack ->
                JsonObject.builder()
                    .put("uri", McpTools.URI_PREFIX + pack.id().value())
                    .put("name", pack.id().value())
                    .put("title", pack.name())
                    .put("mimeType", "application/json")
                    .build())
            .toList());
  }

  private JsonObject read(RpcCall call) throws RpcException {
    String uri = call.params().string("uri").orElse("");
    PolicyPack pack =
        uri.startsWith(McpTools.URI_PREFIX)
            ? packs.find(uri.substring(McpTools.URI_PREFIX.length())).orElse(null)
            : null;
    if (pack == null) {
      throw new RpcException(
          200,
          RpcException.INVALID_PARAMS,
          "There is no such resource; resources/list has all.",
          JsonObject.builder().put("uri", uri).build());
    }
    return JsonObject.EMPTY.with(
        "contents",
        JsonArray.of(
            JsonObject.builder()
                .put("uri", uri)
                .put("mimeType", "application/json")
                .put("text", Json.text(pack.document()))
                .build()));
  }
}
