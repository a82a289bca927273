package dev.safeconduct.http;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A response: status, headers, and a body that is either bytes or a stream. */
public final class Response {
  private static final String[] NO_HEADERS = {};
  private static final byte[] NO_BODY = {};

  static final String JSON = "application/json";

  /** Writes a body of unknown length; the caller of this method closes the stream. */
  @FunctionalInterface
  public interface BodyWriter {
    void writeTo(OutputStream out) throws IOException;
  }

  private final int status;
  private final String contentType;
  private final byte[] body;
  private final @Nullable BodyWriter writer;
  private final String[] headers;

  private Response(
      int status, String contentType, byte[] body, @Nullable BodyWriter writer, String[] headers) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.writer = writer;
    this.headers = headers;
  }

  public static Response json(int status, JsonValue body) {
    return new Response(status, JSON, Json.bytes(body), null, NO_HEADERS);
  }

  /** Returns a response with these bytes, which are not copied: do not change them afterwards. */
  public static Response bytes(int status, String contentType, byte[] body) {
    return new Response(status, clean(contentType), body, null, NO_HEADERS);
  }

  public static Response empty(int status) {
    return new Response(status, "", NO_BODY, null, NO_HEADERS);
  }

  /** Returns a chunked response; a failure during writing can only break the connection. */
  public static Response stream(int status, String contentType, BodyWriter writer) {
    return new Response(status, clean(contentType), NO_BODY, writer, NO_HEADERS);
  }

  /**
   * Returns a copy with one more header; a name given twice is sent twice.
   *
   * @throws IllegalArgumentException for a line break or control character, which would allow
   *     header injection
   */
  public Response header(String name, String value) {
    String[] more = Arrays.copyOf(headers, headers.length + 2);
    more[headers.length] = clean(name);
    more[headers.length + 1] = clean(value);
    return new Response(status, contentType, body, writer, more);
  }

  /**
   * Returns a copy with a free text as header: one line of printable ASCII with at most 500
   * characters. Every other character becomes a question mark.
   */
  public Response textHeader(String name, String text) {
    String line = text.replaceAll("\\s+", " ").replaceAll("[^ -~]", "?").strip();
    return header(name, line.length() > 500 ? line.substring(0, 500) : line);
  }

  /** Returns a copy with this JSON in place of its body. */
  public Response withJson(JsonValue other) {
    return new Response(status, JSON, Json.bytes(other), null, headers);
  }

  public int status() {
    return status;
  }

  public byte[] body() {
    return body;
  }

  String contentType() {
    return contentType;
  }

  Optional<BodyWriter> writer() {
    return Optional.ofNullable(writer);
  }

  /** Returns the header's first value. */
  public Optional<String> header(String name) {
    for (int i = 0; i < headers.length; i += 2) {
      if (headers[i].equalsIgnoreCase(name)) {
        return Optional.of(headers[i + 1]);
      }
    }
    return Optional.empty();
  }

  void forEachHeader(BiConsumer<String, String> action) {
    for (int i = 0; i < headers.length; i += 2) {
      action.accept(headers[i], headers[i + 1]);
    }
  }

  private static String clean(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c > '~') {
        throw new IllegalArgumentException("a header is printable ASCII on one line");
      }
    }
    return text;
  }
}
