package dev.safeconduct.http;

import dev.safeconduct.http.server.Call;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
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
  private final @Nullable JsonValue value;
  private @Nullable ByteBuffer body;
  private final @Nullable JsonWriter owner;
  private final @Nullable BodyWriter writer;
  private final String[] headers;

  /**
   * @param value the body, if it is not encoded yet
   * @param owner of the body's bytes, which it uses again when the response is sent
   */
  private Response(
      int status,
      String contentType,
      @Nullable JsonValue value,
      @Nullable ByteBuffer body,
      @Nullable JsonWriter owner,
      @Nullable BodyWriter writer,
      String[] headers) {
    this.status = status;
    this.contentType = contentType;
    this.value = value;
    this.body = body;
    this.owner = owner;
    this.writer = writer;
    this.headers = headers;
  }

  private static Response of(int status, String contentType, byte[] body) {
    return new Response(status, contentType, null, ByteBuffer.wrap(body), null, null, NO_HEADERS);
  }

  public static Response json(int status, JsonValue body) {
    return new Response(status, JSON, body, null, null, null, NO_HEADERS);
  }

  /** Returns a response with status 200. */
  public static Response json(JsonValue body) {
    return json(200, body);
  }

  /** Returns a response with status 200. */
  public static Response json(JsonObject.Builder body) {
    return json(200, body.build());
  }

  /** Returns a response with status 200, whose last member is {@code ok}. */
  public static Response ok(JsonObject.Builder body) {
    return json(body.put("ok", true));
  }

  /** Returns a response with what was written; it can be sent once. */
  public static Response json(int status, JsonWriter written) {
    return new Response(status, JSON, null, written.written(), written, null, NO_HEADERS);
  }

  /** Returns a response with these bytes, which are not copied: do not change them afterwards. */
  public static Response bytes(int status, String contentType, byte[] body) {
    return of(status, clean(contentType), body);
  }

  public static Response empty(int status) {
    return of(status, "", NO_BODY);
  }

  /** Returns a redirect that is followed with GET. */
  public static Response seeOther(String location) {
    return empty(303).header("Location", location);
  }

  /** Returns a chunked response; a failure during writing can only break the connection. */
  public static Response stream(int status, String contentType, BodyWriter writer) {
    ByteBuffer none = ByteBuffer.wrap(NO_BODY);
    return new Response(status, clean(contentType), null, none, null, writer, NO_HEADERS);
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
    return new Response(status, contentType, this.value, body, owner, writer, more);
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
    return new Response(status, JSON, other, null, null, null, headers);
  }

  public int status() {
    return status;
  }

  public byte[] body() {
    ByteBuffer encoded = encoded();
    var bytes = new byte[encoded.remaining()];
    encoded.get(encoded.position(), bytes);
    return bytes;
  }

  /** Returns the JSON of the body, for a caller in this process; empty if there are only bytes. */
  Optional<JsonValue> value() {
    return Optional.ofNullable(value);
  }

  /** Encodes the body; a fault would otherwise occur when the response is sent. */
  ByteBuffer encoded() {
    ByteBuffer known = body;
    if (known == null) {
      known = ByteBuffer.wrap(value == null ? NO_BODY : Json.bytes(value));
      body = known;
    }
    return known;
  }

  int length() {
    return encoded().remaining();
  }

  /** Sends status and body; the response cannot be used afterwards. */
  void sendTo(Call call) {
    call.send(status, encoded().duplicate());
    if (owner != null) {
      owner.end(); // not after a failure, when the library may still read the bytes
    }
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
