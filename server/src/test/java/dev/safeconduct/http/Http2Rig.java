package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.server.Timeouts;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.testkit.TlsFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A server over TLS with some routes, and raw connections of HTTP/2 to it. */
final class Http2Rig implements AutoCloseable {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration LONG = Duration.ofSeconds(10);

  /** Long enough for a handshake on a busy machine. */
  private static final Duration FIRST_BYTE = Duration.ofSeconds(3);

  private final Path folder;
  private final Certificate certificate;
  private final TestServer server;

  Http2Rig(Path folder) throws Exception {
    this(folder, SHORT);
  }

  /**
   * @param stall how long a client may be silent in the middle of a body
   */
  Http2Rig(Path folder, Duration stall) throws Exception {
    this.folder = folder;
    certificate = TlsFiles.shown(folder, "one");
    var settings = new HashMap<>(tls());
    settings.put("MAX_LARGE_BODIES_BYTES", "12582912");
    server =
        new TestServer(
            settings,
            new Timeouts(FIRST_BYTE, LONG, stall, FIRST_BYTE, LONG),
            Route.post("/verify", Permission.scope(Scope.READ), r -> Response.json(200, r.json()))
                .large()
                .verify(),
            Route.get("/cookies", Permission.OPEN, Http2Rig::cookies),
            Route.get(
                "/much",
                Permission.OPEN,
                _ -> Response.bytes(200, "text/plain", new byte[100_000])),
            Route.get("/things", Permission.OPEN, _ -> Response.empty(204)));
  }

  private static Response cookies(Request request) {
    String sent = request.header("Cookie").orElse("");
    return Response.bytes(200, "text/plain", sent.getBytes(StandardCharsets.UTF_8));
  }

  Map<String, String> tls() {
    return TlsFiles.settings(folder);
  }

  Certificate certificate() {
    return certificate;
  }

  HttpServer server() {
    return server.server();
  }

  RawHttp2 connect() throws Exception {
    return new RawHttp2(server().port(), certificate);
  }

  /** The connection still serves. */
  static void works(RawHttp2 connection, int stream) throws Exception {
    assertThat(connection.get(stream, "/things").empty(stream)).isEqualTo(204);
  }

  @Override
  public void close() {
    server.close();
  }
}
