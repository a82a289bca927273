package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
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

/** A client of the running service, which uses the HTTP API with the admin token. */
public final class RemoteClient implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** A response to a status change waits for its deliveries, by default up to half a minute. */
  private static final Duration ANSWER = Duration.ofSeconds(60);

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();
  private final String base;
  private final String token;
  private final Duration most;

  /** {@code base}: the service's address without a trailing slash. */
  RemoteClient(String base, String token) {
    this(base, token, ANSWER);
  }

  /** Creates a client that waits at most so long for a response. */
  public RemoteClient(String base, String token, Duration most) {
    this.base = base;
    this.token = token;
    this.most = most;
  }

  /**
   * Encodes an id as a path segment.
   *
   * @throws RemoteException when the id is empty, because the path would be that of the list
   */
  public static String segment(String id) throws RemoteException {
    if (id.isBlank()) {
      throw RemoteException.unreachable("The id is empty.");
    }
    return coded(id);
  }

  private static String coded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Returns the path with the values as its query. */
  static String query(String path, Map<String, String> values) {
    return values.isEmpty()
        ? path
        : path
            + values.entrySet().stream()
                .map(value -> value.getKey() + "=" + coded(value.getValue()))
                .collect(Collectors.joining("&", "?", ""));
  }

  /** Returns the response to a GET. */
  public JsonObject get(String path) throws RemoteException {
    return ask("GET", path, null);
  }

  JsonObject delete(String path) throws RemoteException {
    return ask("DELETE", path, null);
  }

  JsonObject put(String path, JsonObject body) throws RemoteException {
    return ask("PUT", path, Json.bytes(body));
  }

  JsonObject patch(String path, JsonObject body) throws RemoteException {
    return ask("PATCH", path, Json.bytes(body));
  }

  JsonObject post(String path, JsonObject body) throws RemoteException {
    return ask("POST", path, Json.bytes(body));
  }

  /** Returns all entries of a list, page by page. */
  List<JsonObject> all(String path, String plural) throws RemoteException {
    var found = new ArrayList<JsonObject>();
    String more = path.indexOf('?') < 0 ? "?" : "&";
    String cursor = "";
    do {
      JsonObject page = get(path + more + "limit=200" + cursor);
      found.addAll(page.objects(plural));
      cursor = page.string("next_cursor").map(next -> "&cursor=" + coded(next)).orElse("");
    } while (!cursor.isEmpty());
    return found;
  }

  private JsonObject ask(String method, String path, byte @Nullable [] body)
      throws RemoteException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(most)
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
      throw RemoteException.unreachable(
          "No answer from " + base + "; is the service running? (" + reason(e) + ")");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw RemoteException.unreachable("Interrupted while waiting for " + base + ".");
    }
  }

  private JsonObject answer(HttpResponse<byte[]> response) throws RemoteException {
    boolean good = response.statusCode() / 100 == 2;
    JsonObject body;
    try {
      body = response.body().length == 0 ? JsonObject.EMPTY : Json.parseObject(response.body());
    } catch (JsonFault _) {
      throw RemoteException.unreachable(
          "The server at "
              + base
              + " is not a Safeconduct service: status "
              + response.statusCode());
    }
    if (response.statusCode() == 401) {
      throw RemoteException.refused(
          "The service at " + base + " does not accept this admin token or key.");
    }
    if (!good) {
      throw RemoteException.refused(
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
