package dev.safeconduct.gateway.rpc;

import org.jspecify.annotations.Nullable;

/** A text that is not a valid JSON-RPC message. */
public final class InvalidMessage extends Exception {
  private static final long serialVersionUID = 1;

  private final transient RpcError error;
  private final transient @Nullable Object id;

  InvalidMessage(int code, String message, @Nullable Object id) {
    super(message);
    this.error = RpcError.of(code, message);
    this.id = id;
  }

  /** Returns the error response, with the message's id if it has one that can be read. */
  public Message response() {
    return Message.error(id, error);
  }

  /** Returns the message's id; null if none can be read. */
  public @Nullable Object id() {
    return id;
  }
}
