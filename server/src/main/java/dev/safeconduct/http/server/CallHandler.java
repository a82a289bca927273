package dev.safeconduct.http.server;

/** Answers requests; called in the request's own virtual thread. */
public interface CallHandler {
  /**
   * Answers a request.
   *
   * @throws ConnectionLostException when the client has disconnected
   */
  void handle(Call call);

  /**
   * Answers a request that is refused before processing: invalid HTTP, or too large.
   *
   * @param status a status of 4xx or 5xx
   * @throws ConnectionLostException when the client has disconnected
   */
  void refuse(Call call, int status);
}
