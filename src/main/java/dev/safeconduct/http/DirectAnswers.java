package dev.safeconduct.http;

import dev.safeconduct.http2.Http2Stream;
import dev.safeconduct.http2.RequestHead;
import io.helidon.http.DirectHandler;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Gives what the library refuses by itself, before any route, the shape of all other errors. */
final class DirectAnswers implements DirectHandler {
  private final ProblemResponses problems;
  private final RequestIds ids;
  private final RouteTable table;

  DirectAnswers(ProblemResponses problems, RequestIds ids, RouteTable table) {
    this.table = table;
    this.problems = problems;
    this.ids = ids;
  }

  DirectHandlers handlers() {
    var handlers = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, this);
    }
    return handlers.build();
  }

  @Override
  public TransportResponse handle(
      TransportRequest request,
      EventType type,
      Status status,
      ServerResponseHeaders headers,
      @Nullable String message) {
    String requestId =
        ids.of(
            request.headers().contains(Answers.REQUEST_ID)
                ? request.headers().get(Answers.REQUEST_ID).get()
                : null);
    var occasion = occasion(request.method(), request.path(), requestId);
    Response response = problems.refused(status.code(), message(status.code()), occasion);
    Answers.head(response, requestId, headers);
    return TransportResponse.builder()
        .status(status)
        .headers(headers)
        .keepAlive(false)
        .entity(response.body())
        .build();
  }

  /** Refuses a request of HTTP/2 before any route. */
  void refuse(Http2Stream stream, int status) throws IOException {
    RequestHead head = stream.head();
    String requestId = ids.of(head.first(Answers.REQUEST_ID.lowerCase()).orElse(null));
    var occasion = occasion(head.method(), head.path(), requestId);
    Response response = problems.refused(status, message(status), occasion);
    var headers = ServerResponseHeaders.create();
    Answers.head(response, requestId, headers);
    byte[] body = head.method().equals("HEAD") ? new byte[0] : response.body();
    headers.contentLength(response.body().length);
    stream.answer(Http2Call.fields(status, headers), body);
  }

  private ProblemResponses.Occasion occasion(String method, String path, String requestId) {
    return new ProblemResponses.Occasion(
        method, path, requestId, table.verifies(method, path), false);
  }

  private static String message(int status) {
    return switch (status) {
      case 413 -> "The body is larger than this server takes.";
      case 414 -> "The request line is longer than this server takes.";
      case 431 -> "The headers are longer than the 32 KiB this server takes.";
      case 501 -> "The only Transfer-Encoding this server takes is chunked.";
      case 503 -> "The server is busy; send the request again in a moment.";
      case 505 -> "This server speaks HTTP/1.1.";
      default ->
          "This is not an HTTP/1.1 request this server can read; check the request line, the Host"
              + " header and the length of the headers (at most 32 KiB in all).";
    };
  }
}
