package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.http.HeaderValue;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.RpcError;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Compares what headers say about a message with the message. Somebody on the way may have decided
 * by the headers, so a difference is refused, also where the server does not look.
 */
final class HeaderCheck {
  private static final Set<String> REMOVED =
      Set.of(
          "initialize",
          "ping",
          "logging/setLevel",
          "resources/subscribe",
          "resources/unsubscribe",
          "tasks/list",
          "tasks/result");

  private final Message message;
  private final Function<String, List<String>> headers;

  /**
   * Prepares the check.
   *
   * @param headers from a name to the values of its fields
   */
  HeaderCheck(Message message, Function<String, List<String>> headers) {
    this.message = message;
    this.headers = headers;
  }

  /** Tells whether a message is of the revisions without sessions, or claims it. */
  static boolean isStateless(Message message, List<String> versions) {
    return Revision.of(message).isPresent()
        || versions.stream().anyMatch(version -> !Revision.WITH_SESSIONS.contains(version));
  }

  /** Checks a message of the revisions without sessions. */
  void checkStateless(ToolHeaders tools) throws Refusal {
    if (message.kind() == Message.Kind.NOTIFICATION) {
      checkIfPresent(); // The revision defines no headers for them.
      return;
    }
    if (message.kind() == Message.Kind.RESPONSE) {
      throw refusal(RpcError.INVALID_REQUEST, "Clients send no responses in this revision.");
    }
    Optional<String> version = Revision.of(message);
    if (version.isEmpty()) {
      throw refusal(RpcError.INVALID_PARAMS, "_meta has no " + Revision.VERSION + ".");
    }
    if (!(message.meta().get(Revision.CAPABILITIES) instanceof Map)) {
      throw refusal(RpcError.INVALID_PARAMS, "_meta has no " + Revision.CAPABILITIES + ".");
    }
    require("MCP-Protocol-Version", version.get());
    if (!version.get().equals(Revision.STATELESS)) {
      var supported = Map.of("supported", List.of(Revision.STATELESS), "requested", version.get());
      throw Refusal.of(
          400,
          message.id(),
          new RpcError(Revision.UNSUPPORTED_VERSION, "Unsupported protocol version", supported));
    }
    require("Mcp-Method", message.method());
    Optional<String> name = Revision.name(message);
    if (name.isPresent()) {
      require("Mcp-Name", name.get());
    }
    if (message.method().equals("tools/call")) {
      checkParameters(tools.of(name.orElse(""), message.params().get("arguments")));
    }
    if (REMOVED.contains(message.method())) {
      throw Refusal.of(
          404, message.id(), RpcError.of(RpcError.METHOD_NOT_FOUND, "Method not found"));
    }
  }

  private void checkParameters(Map<String, @Nullable Object> expected) throws Refusal {
    for (var entry : expected.entrySet()) {
      Object value = entry.getValue();
      if (value != null) {
        String sent = single(entry.getKey());
        if (sent == null || !ToolHeaders.isEqual(sent, value)) {
          throw mismatch(entry.getKey());
        }
      } else if (!headers.apply(entry.getKey()).isEmpty()) {
        throw mismatch(entry.getKey());
      }
    }
  }

  /** Checks a message of a session, whose headers other software may still read. */
  void checkIfPresent() throws Refusal {
    if (!headers.apply("Mcp-Method").isEmpty()) {
      require("Mcp-Method", message.method());
    }
    if (!headers.apply("Mcp-Name").isEmpty()) {
      require("Mcp-Name", Revision.name(message).orElse(""));
    }
  }

  private void require(String header, String value) throws Refusal {
    if (!value.equals(single(header))) {
      throw mismatch(header);
    }
  }

  private @Nullable String single(String header) {
    List<String> values = headers.apply(header);
    return values.size() == 1 ? HeaderValue.decode(values.getFirst()).orElse(null) : null;
  }

  private Refusal mismatch(String header) {
    return refusal(
        Revision.HEADER_MISMATCH,
        "Header mismatch: " + header + " is missing, or does not say what the body says.");
  }

  private Refusal refusal(int code, String text) {
    return Refusal.of(400, message.id(), RpcError.of(code, text));
  }
}
