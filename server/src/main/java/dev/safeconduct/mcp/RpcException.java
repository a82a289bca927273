package dev.safeconduct.mcp;

import dev.safeconduct.json.JsonObject;

/** A request that is answered with a JSON-RPC error (JSON-RPC 2.0 section 5.1). */
final class RpcException extends Exception {
  static final int PARSE_ERROR = -32700;
  static final int INVALID_REQUEST = -32600;
  static final int INVALID_PARAMS = -32602;
  static final int HEADER_MISMATCH = -32020;
  static final int UNSUPPORTED_VERSION = -32022;

  private static final int METHOD_NOT_FOUND = -32601;
  private static final long serialVersionUID = 1;

  private final int status;
  private final int code;
  private final transient JsonObject data;

  /**
   * @param status of the HTTP response
   * @param data further facts; empty for none
   */
  RpcException(int status, int code, String message, JsonObject data) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }

  RpcException(int status, int code, String message) {
    this(status, code, message, JsonObject.EMPTY);
  }

  /** Before revision 2026-07-28 only the body told of an unknown method. */
  static RpcException unknownMethod(RpcCall call) {
    return new RpcException(
        call.modern() ? 404 : 200, METHOD_NOT_FOUND, "This server does not have the method.");
  }

  int status() {
    return status;
  }

  JsonObject error() {
    JsonObject.Builder error =
        JsonObject.builder().put("code", code).put("message", String.valueOf(getMessage()));
    return (data.isEmpty() ? error : error.put("data", data)).build();
  }
}
