package dev.safeconduct.http;

/** Handles the requests of one route; runs on the request's own virtual thread and may block. */
@FunctionalInterface
public interface Endpoint {
  /**
   * Returns the response to one request.
   *
   * @throws dev.safeconduct.error.ProblemException an error that is reported to the caller; any
   *     other exception is a 500 without details
   */
  Response handle(Request request);
}
