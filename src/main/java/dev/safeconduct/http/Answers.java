package dev.safeconduct.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Headers;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import java.io.IOException;
import java.io.OutputStream;

/** Writes answers: the headers all of them carry, conditional reads, {@code HEAD}. */
final class Answers {
  static final HeaderName REQUEST_ID = HeaderNames.create("X-Request-Id");

  private static final Header NO_STORE =
      HeaderValues.createCached(HeaderNames.CACHE_CONTROL, "no-store");
  private static final Header NO_SNIFF =
      HeaderValues.createCached(HeaderNames.create("X-Content-Type-Options"), "nosniff");

  private Answers() {}

  /** Sets the headers of the answer, those that every answer has included. */
  static void head(Response response, String requestId, ServerResponseHeaders headers) {
    headers.set(HeaderValues.create(REQUEST_ID, requestId));
    headers.set(NO_SNIFF);
    headers.set(NO_STORE);
    String contentType = response.contentType();
    if (contentType.equals(Response.JSON)) {
      headers.set(HeaderValues.CONTENT_TYPE_JSON);
    } else if (!contentType.isEmpty()) {
      headers.set(HeaderNames.CONTENT_TYPE, contentType);
    }
    response.forEachHeader((text, value) -> {
      HeaderName name = HeaderNames.create(text);
      if (name.equals(HeaderNames.CACHE_CONTROL)) {
        headers.set(name, value);
      } else {
        headers.add(name, value);
      }
    });
  }

  /** Sends a printable request id back as it came, in place of the one used inside. */
  static void echo(Headers request, ServerResponseHeaders headers) {
    if (request.contains(REQUEST_ID)) {
      String sent = request.get(REQUEST_ID).get();
      if (!sent.isEmpty() && sent.chars().allMatch(c -> c >= ' ' && c <= '~')) {
        headers.set(HeaderValues.create(REQUEST_ID, sent));
      }
    }
  }

  /** Sends the answer, whose headers are set. */
  static void send(Response response, boolean head, Call call) {
    if (response.status() == 200 && isUnchanged(response, call.headers())) {
      call.answerHeaders().remove(HeaderNames.CONTENT_TYPE);
      call.send(Status.NOT_MODIFIED_304.code());
      return;
    }
    if (head) {
      if (response.writer().isEmpty()) {
        call.answerHeaders().contentLength(response.body().length);
      }
      call.send(response.status());
    } else if (response.writer().isPresent()) {
      stream(response.writer().get(), response.status(), call);
    } else {
      call.send(response.status(), response.body());
    }
  }

  private static void stream(Response.BodyWriter writer, int status, Call call) {
    // Not try-with-resources: closing would end the body properly and hide that it is cut short.
    OutputStream stream = call.stream(status);
    try {
      writer.writeTo(stream);
      stream.close();
      call.streamed();
    } catch (IOException e) {
      throw new CloseConnectionException("The client went away while it was answered", e);
    }
  }

  /** RFC 9110 section 13.1.2, by weak comparison. */
  private static boolean isUnchanged(Response response, Headers request) {
    if (!request.contains(HeaderNames.IF_NONE_MATCH)) {
      return false;
    }
    String known = String.join(",", request.get(HeaderNames.IF_NONE_MATCH).allValues());
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
