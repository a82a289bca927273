package dev.safeconduct.mcp;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request or notification of an MCP client.
 *
 * @param modern whether it follows revision 2026-07-28, where each request names its version; a
 *     client of an earlier revision agrees on one with {@code initialize}
 */
record RpcCall(String method, JsonObject params, boolean isNotification, boolean modern) {
  static final String MODERN = "2026-07-28";

  /** The earlier revisions, newest first. */
  static final List<String> LEGACY = List.of("2025-11-25", "2025-06-18", "2025-03-26");

  static final JsonArray SUPPORTED =
      JsonArray.ofStrings(List.of(MODERN, LEGACY.get(0), LEGACY.get(1), LEGACY.get(2)));

  private static final String VERSION_HEADER = "MCP-Protocol-Version";
  private static final String META_PREFIX = "io.modelcontextprotocol/";
  private static final String BASE64_START = "=?base64?";
  private static final String BASE64_END = "?=";

  /**
   * Reads a message.
   *
   * @param header gives the value of an HTTP header
   */
  static RpcCall read(JsonObject message, Function<String, Optional<String>> header)
      throws RpcException {
    JsonValue id = message.get("id");
    if (message.string("jsonrpc").filter("2.0"::equals).isEmpty()
        || message.string("method").isEmpty()
        || !(id == null || isId(id))
        || !(message.present("params") == null || message.object("params").isPresent())) {
      throw new RpcException(
          400,
          RpcException.INVALID_REQUEST,
          "Send one JSON-RPC 2.0 request or notification: jsonrpc 2.0, a method, an id that is a"
              + " string or a whole number, and params that are an object.");
    }
    String method = message.string("method").get();
    JsonObject params = message.object("params").orElse(JsonObject.EMPTY);
    Optional<String> sent = header.apply(VERSION_HEADER);
    boolean modern =
        method.equals("server/discover")
            || meta(params).has(META_PREFIX + "protocolVersion")
            || sent.filter(version -> !LEGACY.contains(version)).isPresent();
    var call = new RpcCall(method, params, id == null, modern);
    if (modern && !call.isNotification()) {
      call.checkMetadata(sent, header);
    }
    return call;
  }

  /** Refuses a method that revision 2026-07-28 has removed. */
  void demandLegacy() throws RpcException {
    if (modern) {
      throw RpcException.unknownMethod(this);
    }
  }

  static boolean isId(@Nullable JsonValue id) {
    return id instanceof JsonString || (id instanceof JsonNumber number && number.isSafeInteger());
  }

  private static JsonObject meta(JsonObject params) {
    return params.object("_meta").orElse(JsonObject.EMPTY);
  }

  /** Intermediaries act on the headers, so they must say what the body says. */
  private void checkMetadata(Optional<String> sent, Function<String, Optional<String>> header)
      throws RpcException {
    Optional<String> version = meta(params).string(META_PREFIX + "protocolVersion");
    if (version.isEmpty() || meta(params).object(META_PREFIX + "clientCapabilities").isEmpty()) {
      throw new RpcException(
          400,
          RpcException.INVALID_PARAMS,
          "params._meta must have "
              + META_PREFIX
              + "protocolVersion and "
              + META_PREFIX
              + "clientCapabilities.");
    }
    demandEqual(VERSION_HEADER, sent, version.get());
    if (!version.get().equals(MODERN)) {
      throw new RpcException(
          400,
          RpcException.UNSUPPORTED_VERSION,
          "This server does not support the protocol version.",
          JsonObject.builder().put("supported", SUPPORTED).put("requested", version.get()).build());
    }
    demandEqual("Mcp-Method", header.apply("Mcp-Method"), method);
    String named =
        switch (method) {
          case "tools/call", "prompts/get" -> "name";
          case "resources/read" -> "uri";
          default -> "";
        };
    if (!named.isEmpty()) {
      demandEqual(
          "Mcp-Name",
          header.apply("Mcp-Name").map(RpcCall::decoded),
          params.string(named).orElse(""));
    }
  }

  private static void demandEqual(String name, Optional<String> sent, String body)
      throws RpcException {
    if (!sent.equals(Optional.of(body))) {
      throw new RpcException(
          400,
          RpcException.HEADER_MISMATCH,
          "The header " + name + " must be present and have the value of the body.");
    }
  }

  /** Names that are not plain ASCII are sent in Base64. */
  private static String decoded(String value) {
    if (!value.startsWith(BASE64_START) || !value.endsWith(BASE64_END)) {
      return value;
    }
    String coded =
        value.substring(BASE64_START.length(), Math.max(BASE64_START.length(), value.length() - 2));
    try {
      return new String(Base64.getDecoder().decode(coded), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return value;
    }
  }
}
