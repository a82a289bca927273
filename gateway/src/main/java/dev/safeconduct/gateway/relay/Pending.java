package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.Outlet;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A request of the client without a response so far. */
final class Pending {
  private enum State {
    CHECKED,
    SENT,
    CANCELLED
  }

  final Message request;
  final Outlet outlet;

  /** What it takes of the memory until it is neither checked nor waits for a response. */
  final long size;

  /** How many of the two still hold it; {@link Exchanges} counts them. */
  int uses = 2;

  /** Stands for the request where the request itself would take room. */
  final Object mark = new Object();

  /** Sends it, if the connection to the server makes it again; null for what the client sent. */
  final @Nullable BiConsumer<Forwarded, Outlet> resend;

  private final Outlet toClient;
  private final AtomicReference<State> state = new AtomicReference<>(State.CHECKED);

  /** Notes a request; its response ends it in {@code exchanges}, and then reaches the client. */
  Pending(Object id, Message request, Outlet toClient, Exchanges exchanges) {
    this(
        id,
        request,
        toClient,
        exchanges,
        null,
        request.bytes().length + MessageMemory.sizeOfValues(request.bytes()));
  }

  private Pending(
      Object id,
      Message request,
      Outlet toClient,
      Exchanges exchanges,
      @Nullable BiConsumer<Forwarded, Outlet> resend,
      long size) {
    this.request = request;
    this.size = size;
    this.toClient = toClient;
    this.resend = resend;
    this.outlet =
        message -> {
          if (message.kind() != Message.Kind.RESPONSE || exchanges.end(id, this)) {
            toClient.send(message);
          }
        };
  }

  /** Returns the same request, to be checked again. */
  Pending again(
      Object id, Message next, Exchanges exchanges, BiConsumer<Forwarded, Outlet> sender) {
    return new Pending(id, next, toClient, exchanges, sender, 0);
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
