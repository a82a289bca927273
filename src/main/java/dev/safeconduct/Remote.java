package dev.safeconduct;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The running service, asked with the admin token over its own HTTP contract. */
final class Remote implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** A status change waits for its receivers, up to half a minute by default. */
  private static final Duration ANSWER = Duration.ofSeconds(60);

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();
  private final String base;
  private final String token;

  /** {@code base}: the service's address without a slash at its end. */
  Remote(String base, String token) {
    this.base = base;
    this.token = token;
  }

  /**
   * An id as a segment of a path.
   *
   * @throws RemoteFault when it is empty: the path would be that of the list
   */
  static String segment(String id) throws RemoteFault {
    if (id.isBlank()) {
      throw RemoteFault.unreachable("The id is empty.");
    }
    return coded(id);
  }

  private static String coded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The path with these in its query. */
  static String query(String path, Map<String, String> values) {
    return values.isEmpty()
        ? path
        : path
            + values.entrySet().stream()
                .map(value -> value.getKey() + "=" + coded(value.getValue()))
                .collect(Collectors.joining("&", "?", ""));
  }

  JsonObject get(String path) throws RemoteFault {
    return ask("GET", path, null);
  }

  JsonObject delete(String path) throws RemoteFault {
    return ask("DELETE", path, null);
  }

  JsonObject post(String path, JsonObject body) throws RemoteFault {
    return ask("POST", path, Json.bytes(body));
  }

  JsonObject post(String path, byte[] body) throws RemoteFault {
    return ask("POST", path, body);
  }

  /** Everything of a list, page by page. */
  List<JsonObject> all(String path, String plural) throws RemoteFault {
    var found = new ArrayList<JsonObject>();
    String more = path.indexOf('?') < 0 ? "?" : "&";
    String cursor = "";
    do {
      JsonObject page = get(path + more + "limit=200" + cursor);
      for (JsonValue each : page.array(plural).orElse(JsonArray.EMPTY)) {
        if (each instanceof JsonObject one) {
          found.add(one);
        }
      }
      cursor = page.string("next_cursor").map(next -> "&cursor=" + coded(next)).orElse("");
    } while (!cursor.isEmpty());
    return found;
  }

  private JsonObject ask(String method, String path, byte @Nullable [] body) throws RemoteFault {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(ANSWER)
            .header("Authorization", "Bearer " + token)
            .header("Accept", "application/json");
    if (body == null) {
      request.method(method, BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, BodyPublishers.ofByteArray(body));
    }
    try {
      return answer(client.send(request.build(), BodyHandlers.ofByteArray()));
    } catch (IOException e) {
      throw RemoteFault.unreachable(
          "No answer from " + base + "; is the service running? (" + reason(e) + ")");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw RemoteFault.unreachable("Interrupted while waiting for " + base + ".");
    }
  }

  private JsonObject answer(HttpResponse<byte[]> response) throws RemoteFault {
    boolean good = response.statusCode() / 100 == 2;
    JsonObject body;
    try {
      body = response.body().length == 0 ? JsonObject.EMPTY : Json.parseObject(response.body());
    } catch (JsonFault _) {
      throw RemoteFault.unreachable(
          "What answers at " + base + " is not this service: status " + response.statusCode());
    }
    if (response.statusCode() == 401) {
      throw RemoteFault.refused("This is not the admin token of the service at " + base + ".");
    }
    if (!good) {
      throw RemoteFault.refused(
          body.string("message").orElse("The service answered with " + response.statusCode())
              + body.string("field").map(field -> " (" + field + ")").orElse(""));
    }
    return body;
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  @Override
  public void close() {
    client.close();
  }
}
