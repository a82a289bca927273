package dev.safeconduct.gateway.rpc;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The error of a JSON-RPC response.
 *
 * @param code one of the constants below, or a server's own
 * @param message one sentence, without secrets and arguments
 * @param data more for programs; may be empty
 */
public record RpcError(int code, String message, Map<String, ? extends @Nullable Object> data) {
  /** The text is not JSON (JSON-RPC 2.0, section 5.1). */
  public static final int PARSE_ERROR = -32700;

  /** The JSON is not a valid request. */
  public static final int INVALID_REQUEST = -32600;

  /** The gateway or the server does not know the method. */
  public static final int METHOD_NOT_FOUND = -32601;

  /** The parameters are not valid. */
  public static final int INVALID_PARAMS = -32602;

  /** No decision, or no answer of the server. */
  public static final int INTERNAL_ERROR = -32603;

  /** The policy denies the call (AuthZEN COAZ-MCP). */
  public static final int DENIED = -32001;

  /** Returns an error without data. */
  public static RpcError of(int code, String message) {
    return new RpcError(code, message, Map.of());
  }
}
