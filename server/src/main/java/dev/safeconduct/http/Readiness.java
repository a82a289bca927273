package dev.safeconduct.http;

/** Records whether the server wants traffic: not before its warm-up and not while it stops. */
final class Readiness {
  private volatile boolean ready;
  private volatile boolean stopping;

  void ready(boolean ready) {
    this.ready = ready;
  }

  void stop() {
    stopping = true;
  }

  boolean isReady() {
    return ready && !stopping;
  }
}
