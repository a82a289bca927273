package dev.safeconduct.http;

/** Answers the requests of one route; runs on the request's own virtual thread and may block. */
@FunctionalInterface
public interface Endpoint {
  /**
   * The answer to one request.
   *
   * @throws dev.safeconduct.problem.ProblemException what the caller is told is wrong; anything
   *     else thrown is a bare 500
   */
  Response handle(Request request);
}
