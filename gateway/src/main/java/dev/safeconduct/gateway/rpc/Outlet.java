package dev.safeconduct.gateway.rpc;

/** Receives what belongs to one request (progress, server requests) and at last its response. */
@FunctionalInterface
public interface Outlet {
  /** Takes one message. Threads may call it at the same time; it does not throw. */
  void send(Message message);
}
