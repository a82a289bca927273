package dev.safeconduct.http;

import dev.safeconduct.problem.Problem;
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
  @Nullable Toll toll;
  @Nullable Problem refused;
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

  /** What the caller has left, and the limit that refused the request where one did. */
  Allowance allowance() {
    Allowance left = toll == null ? Allowance.UNLIMITED : toll.allowance();
    return refused == null ? left : left.with(refused);
  }

  ProblemResponses.Occasion occasion() {
    return new ProblemResponses.Occasion(method, path, requestId, verifies, wantsProblem);
  }
}
