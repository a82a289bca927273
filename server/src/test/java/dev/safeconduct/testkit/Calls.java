package dev.safeconduct.testkit;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Calls a running service with one set of headers; bodies are JSON. Safe for any number of threads.
 */
public final class Calls {
  private final HttpClient client;
  private final URI base;
  private final Map<String, String> headers;

  /** Calls without any credential. */
  public Calls(HttpClient client, URI base) {
    this(client, base, Map.of());
  }

  private Calls(HttpClient client, URI base, Map<String, String> headers) {
    this.client = client;
    this.base = base;
    this.headers = headers;
  }

  /** The same calls with one more header, in place of an earlier one of that name. */
  public Calls with(String header, String value) {
    var more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Calls(client, base, more);
  }

  public Reply get(String path) {
    return send("GET", path, "");
  }

  public Reply delete(String path) {
    return send("DELETE", path, "");
  }

  public Reply post(String path, String body) {
    return send("POST", path, body);
  }

  public Reply post(String path, JsonObject body) {
    return send("POST", path, Json.text(body));
  }

  public Reply put(String path, String body) {
    return send("PUT", path, body);
  }

  public Reply patch(String path, String body) {
    return send("PATCH", path, body);
  }

  /** Sends one request; an empty body is none at all. */
  public Reply send(String method, String path, String body) {
    return send(method, path, body.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends one request with these bytes. */
  public Reply send(String method, String path, byte[] body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path));
    headers.forEach(request::setHeader);
    if (body.length == 0) {
      request.method(method, BodyPublishers.noBody());
    } else {
      if (!headers.containsKey("Content-Type")) {
        request.setHeader("Content-Type", "application/json");
      }
      request.method(method, BodyPublishers.ofByteArray(body));
    }
    try {
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Reply(answer.statusCode(), answer.headers(), answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** A JSON object written with single quotes, for tests to be read. */
  public static JsonObject json(String singleQuoted) {
    try {
      return Json.parseObject(singleQuoted.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new IllegalArgumentException(singleQuoted, e);
    }
  }
}
