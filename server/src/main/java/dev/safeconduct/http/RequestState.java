package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.telemetry.RequestSpan;
import org.jspecify.annotations.Nullable;

/** The state of a request in progress. */
final class RequestState {
  final long started;
  final ServerTiming timing;
  final String method;
  final String requestId;
  final RequestBody body;
  String path;
  RouteTable.@Nullable Match match;
  @Nullable Route route;
  boolean verifies;
  boolean bySession;
  final boolean wantsProblem;
  @Nullable RateLimitCheck toll;
  @Nullable Problem refused;
  int status;

  RequestState(
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

  /** Returns the caller's remaining quota, and the limit that refused the request, if any. */
  RateLimitStatus allowance() {
    RateLimitStatus left = toll == null ? RateLimitStatus.UNLIMITED : toll.allowance();
    return refused == null ? left : left.with(refused);
  }

  ProblemResponses.Occasion occasion() {
    return new ProblemResponses.Occasion(method, path, requestId, verifies, wantsProblem);
  }
}
