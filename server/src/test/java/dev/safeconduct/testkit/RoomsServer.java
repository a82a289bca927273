package dev.safeconduct.testkit;

import dev.safeconduct.access.MintedKey;
import dev.safeconduct.config.Env;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.http.HttpServer;
import dev.safeconduct.http.RateLimitStatus;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.telemetry.Metrics;
import dev.safeconduct.telemetry.Traces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The {@link Rooms} behind the real server on a free port of the loopback interface. */
public final class RoomsServer implements AutoCloseable {
  public static final String ADMIN = Rooms.ADMIN_TOKEN;
  public static final String NOBODY = "";

  public final Rooms rooms = new Rooms();
  public final TestSigner signer = new TestSigner();
  private final Metrics metrics = new Metrics("0", false);
  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  public RoomsServer() {
    var env = new Env(Map.of("PORT", "0"));
    HttpConfig config = HttpConfig.from(env);
    env.check();
    server =
        HttpServer.start(
            config,
            rooms.routes(signer),
            rooms.credentials(),
            (_, _, _, _) -> RateLimitStatus.UNLIMITED,
            metrics,
            List.of(),
            Traces.off(),
            rooms.clock);
    server.ready(true);
  }

  /** A key's text. */
  public String key(OrgId org, Scope... scopes) {
    MintedKey minted = rooms.key(org, scopes);
    return minted.text();
  }

  /** What came back; the body is empty when there was none. */
  public record Answer(int status, HttpHeaders headers, JsonObject body, String text) {
    public String string(String name) {
      return body.string(name).orElseThrow(() -> new AssertionError(name + " in " + text));
    }

    public String header(String name) {
      return headers.firstValue(name).orElse("");
    }
  }

  /** Sends a request; single quotes in the body stand for double ones. */
  public Answer call(
      String method, String path, String credential, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')));
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    if (!credential.isEmpty()) {
      request.header("Authorization", "Bearer " + credential);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      var response = client.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
      String text = response.body();
      JsonObject json =
          text.isEmpty()
              ? JsonObject.EMPTY
              : Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
      return new Answer(response.statusCode(), response.headers(), json, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (JsonFault e) {
      throw new AssertionError("not JSON", e);
    }
  }

  public Answer get(String path, String credential, String... headers) {
    return call("GET", path, credential, "", headers);
  }

  public Answer post(String path, String credential, String body) {
    return call("POST", path, credential, body);
  }

  @Override
  public void close() {
    client.close();
    server.close();
    rooms.close();
  }
}
