package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.policy.MethodTable;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.upstream.Upstream;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What of the server's messages reaches the client. */
final class ServerMessages {
  private final PolicyClient policy;
  private final Upstream upstream;
  private final Exchanges exchanges;
  private final @Nullable ToolCatalog tools;

  ServerMessages(
      PolicyClient policy, Upstream upstream, Exchanges exchanges, @Nullable ToolCatalog tools) {
    this.policy = policy;
    this.upstream = upstream;
    this.exchanges = exchanges;
    this.tools = tools;
    if (tools != null) {
      upstream.onToolsChanged(tools::forget);
    }
  }

  /** Takes the response to a request of the client. */
  void respond(Message response, Pending pending, UnaryOperator<Message> onAnswer) {
    Message answer;
    try {
      String refused = refusedInput(response.result());
      answer =
          refused == null
              ? onAnswer.apply(response)
              : Message.error(
                  pending.request.id(),
                  RpcError.of(
                      RpcError.INTERNAL_ERROR,
                      "The server asks for " + refused + ", which the gateway refuses."));
    } catch (RuntimeException e) {
      policy.log("fault: " + e.getClass().getName());
      answer =
          Message.error(
              pending.request.id(),
              RpcError.of(RpcError.INTERNAL_ERROR, "The server's answer cannot be relayed."));
    }
    pending.outlet.send(answer);
  }

  /** Returns the method of a request in a result (2026-07-28) that the owner refuses. */
  private @Nullable String refusedInput(@Nullable Map<String, @Nullable Object> result) {
    if (result != null) {
      Set<String> relayed = policy.server().relayed();
      for (Object input : Message.objectOrEmpty(result.get("inputRequests")).values()) {
        String method = String.valueOf(Message.objectOrEmpty(input).get("method"));
        if (!relayed.contains(method)) {
          return PolicyClient.printable(method);
        }
      }
    }
    return null;
  }

  /**
   * Takes a notification or a request of the server.
   *
   * @param cause the request of the client that it belongs to; null if the server does not say it
   */
  void relay(Message message, Outlet outlet, @Nullable Message cause) {
    switch (message.kind()) {
      case REQUEST -> request(message, outlet, cause);
      case NOTIFICATION -> {
        if (mayPass(message)) {
          outlet.send(message);
        } else {
          policy.log("dropped the server's " + PolicyClient.printable(message.method()));
        }
      }
      case RESPONSE -> policy.log("dropped the server's response to no request");
    }
  }

  private void request(Message request, Outlet outlet, @Nullable Message cause) {
    if (policy.server().relayed().contains(request.method())
        && exchanges.startByServer(request, cause)) {
      outlet.send(request);
      return;
    }
    policy.log("refused the server's " + PolicyClient.printable(request.method()));
    upstream.respond(
        Message.error(request.id(), RpcError.of(RpcError.METHOD_NOT_FOUND, "Method not found")));
  }

  private boolean mayPass(Message notification) {
    Map<String, @Nullable Object> params = notification.params();
    return MethodTable.standard().mayServerNotify(notification.method())
        && switch (notification.method()) {
          case "notifications/progress" -> exchanges.hasProgressToken(params.get("progressToken"));
          case "notifications/tasks/status", "notifications/tasks" -> {
            exchanges.noteTask(params.get("taskId"), params.get("status"));
            yield exchanges.hasTask(params.get("taskId"));
          }
          case "notifications/cancelled" -> {
            // The client need not answer any more, and should not have to for the server's limit.
            var _ = exchanges.endByServer(Message.idOf(params.get("requestId")));
            yield true;
          }
          case "notifications/tools/list_changed" -> {
            if (tools != null) {
              tools.forget();
            }
            yield true;
          }
          default -> true;
        };
  }
}
