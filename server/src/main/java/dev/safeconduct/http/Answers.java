package dev.safeconduct.http;

import dev.safeconduct.http.server.Call;
import dev.safeconduct.http.server.ConnectionLostException;
import dev.safeconduct.http.server.RequestHeaders;
import dev.safeconduct.http.server.ResponseHeaders;
import java.io.IOException;
import java.io.OutputStream;

/** Writes responses: common headers, conditional requests, {@code HEAD}. */
final class Answers {
  static final String REQUEST_ID = "X-Request-Id";

  private static final String CACHE_CONTROL = "Cache-Control";
  private static final String CONTENT_TYPE = "Content-Type";
  private static final String IF_NONE_MATCH = "If-None-Match";

  private Answers() {}

  /** Sets the headers of the response, including those that every response has. */
  static void head(Response response, String requestId, ResponseHeaders headers) {
    // Nothing set them before: add() does not look for a header of that name.
    headers.add(REQUEST_ID, requestId);
    headers.add("X-Content-Type-Options", "nosniff");
    headers.add(CACHE_CONTROL, "no-store");
    String contentType = response.contentType();
    if (!contentType.isEmpty()) {
      headers.add(CONTENT_TYPE, contentType);
    }
    response.forEachHeader((name, value) -> {
      if (name.equalsIgnoreCase(CACHE_CONTROL)) {
        headers.set(name, value);
      } else {
        headers.add(name, value);
      }
    });
  }

  /** Returns a printable request id unchanged, in place of the internal one. */
  static void echo(RequestHeaders request, ResponseHeaders headers) {
    String sent = request.first(REQUEST_ID);
    if (sent != null && !sent.isEmpty() && sent.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      headers.set(REQUEST_ID, sent);
    }
  }

  /** Sends the response, whose headers are set. */
  static void send(Response response, boolean head, Call call) {
    if (response.status() == 200 && isUnchanged(response, call.headers())) {
      call.responseHeaders().remove(CONTENT_TYPE);
      tellLength(response, call);
      call.sendHeaders(304);
      return;
    }
    if (head) {
      tellLength(response, call);
      call.sendHeaders(response.status());
    } else if (response.writer().isPresent()) {
      stream(response.writer().get(), response.status(), call);
    } else {
      response.sendTo(call);
    }
  }

  /** Sets the length of the omitted body (RFC 9110 section 8.6), when it is known. */
  private static void tellLength(Response response, Call call) {
    if (response.writer().isEmpty()) {
      call.responseHeaders().set("Content-Length", Integer.toString(response.length()));
    }
  }

  private static void stream(Response.BodyWriter writer, int status, Call call) {
    // Not try-with-resources: closing would end the body properly and hide the truncation.
    OutputStream stream = call.stream(status);
    try {
      writer.writeTo(stream);
      stream.close();
    } catch (IOException e) {
      throw new ConnectionLostException("The client went away while it was answered", e);
    }
  }

  /** Evaluates {@code If-None-Match} (RFC 9110 section 13.1.2) by weak comparison. */
  private static boolean isUnchanged(Response response, RequestHeaders request) {
    if (!request.contains(IF_NONE_MATCH)) {
      return false;
    }
    String known = String.join(",", request.all(IF_NONE_MATCH));
    return response
        .header("ETag")
        .filter(tag -> known.strip().equals("*") || lists(known, opaque(tag)))
        .isPresent();
  }

  private static boolean lists(String known, String tag) {
    for (String one : known.split(",", -1)) {
      if (opaque(one.strip()).equals(tag)) {
        return true;
      }
    }
    return false;
  }

  private static String opaque(String tag) {
    return tag.startsWith("W/") ? tag.substring(2) : tag;
  }
}
