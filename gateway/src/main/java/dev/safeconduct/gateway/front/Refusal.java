package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.RpcError;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request over HTTP that is answered with an error status and, in its body, a JSON-RPC error. */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;
  private final transient Message answer;
  private final transient Map<String, String> headers;

  Refusal(int status, Message answer, Map<String, String> headers) {
    super("status " + status);
    this.status = status;
    this.answer = answer;
    this.headers = headers;
  }

  /** Refuses a request whose message was not read. */
  static Refusal of(int status, String text) {
    return of(status, text, Map.of());
  }

  static Refusal of(int status, String text, Map<String, String> headers) {
    return new Refusal(status, Message.error(null, RpcError.of(-32000, text)), headers);
  }

  /** Refuses a message. */
  static Refusal of(int status, @Nullable Object id, RpcError error) {
    return new Refusal(status, Message.error(id, error), Map.of());
  }

  int status() {
    return status;
  }

  Message answer() {
    return answer;
  }

  Map<String, String> headers() {
    return headers;
  }
}
