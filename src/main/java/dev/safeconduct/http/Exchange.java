package dev.safeconduct.http;

import dev.safeconduct.trace.RequestSpan;
import org.jspecify.annotations.Nullable;

/** What is known of a request so far. */
final class Exchange {
  final long started;
  final ServerTiming timing;
  final String method;
  final String requestId;
  final RequestBody body;
  String path;
  @Nullable Route route;
  boolean verifies;
  boolean bySession;
  final boolean wantsProblem;
  Allowance allowance = Allowance.UNLIMITED;
  int status;

  Exchange(
      long started,
      @Nullable RequestSpan span,
      String method,
      String path,
      String requestId,
      RequestBody body,
      boolean wantsProblem) {
    this.started = started;
    this.timing = new ServerTiming(System::nanoTime, span);
    this.wantsProblem = wantsProblem;
    this.body = body;
    this.method = method;
    this.path = path;
    this.requestId = requestId;
  }

  ProblemResponses.Occasion occasion() {
    return new ProblemResponses.Occasion(method, path, requestId, verifies, wantsProblem);
  }
}
