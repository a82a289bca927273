package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.Outlet;
import java.util.concurrent.atomic.AtomicReference;

/** A request of the client without a response so far. */
final class Pending {
  private enum State {
    CHECKED,
    SENT,
    CANCELLED
  }

  final Message request;
  final Outlet outlet;

  /** Stands for the request where the request itself would take room. */
  final Object mark = new Object();

  private final AtomicReference<State> state = new AtomicReference<>(State.CHECKED);

  /** Notes a request; its response ends it in {@code exchanges}, and then reaches the client. */
  Pending(Object id, Message request, Outlet toClient, Exchanges exchanges) {
    this.request = request;
    this.outlet =
        message -> {
          if (message.kind() != Message.Kind.RESPONSE || exchanges.end(id, this)) {
            toClient.send(message);
          }
        };
  }

  /** Notes that it goes to the server now; returns whether it may, as it was not cancelled. */
  boolean send() {
    return state.compareAndSet(State.CHECKED, State.SENT);
  }

  /** Whether the server has the request. */
  boolean isSent() {
    return state.get() == State.SENT;
  }

  /** Notes that the client cancels it; returns whether the server has it. */
  boolean cancel() {
    return !state.compareAndSet(State.CHECKED, State.CANCELLED) && state.get() == State.SENT;
  }
}
