package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import java.io.IOException;
import java.net.SocketException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever a client sends, the fault is the client's: never a 500. */
class RequestFuzzTest {
  private static TestServer server = new TestServer();

  @BeforeContainer
  static void start() {
    server.close();
    server =
        new TestServer(
            Route.post("/a/{x}", Permission.scope(Scope.READ), r -> Response.json(200, r.json())));
  }

  @AfterContainer
  static void stop() {
    server.close();
  }

  @Property(tries = 200)
  void anyHead(@ForAll @StringLength(max = 200) @CharRange(from = 0, to = 255) String text)
      throws IOException {
    assertThat(answer("POST /a/" + text + "\r\n\r\n")).isNotEqualTo(500);
  }

  @Property(tries = 200)
  void anyCredential(@ForAll @StringLength(max = 80) @CharRange(from = 1, to = 255) String text)
      throws IOException {
    String head = "POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n";
    assertThat(answer(head + "X-API-Key: " + text + "\r\n\r\n")).isBetween(400, 499);
    assertThat(answer(head + "Authorization: " + text + "\r\n\r\n")).isBetween(400, 499);
  }

  @Property(tries = 200)
  void anyPathAndQuery(@ForAll @StringLength(max = 80) @CharRange(from = 33, to = 126) String text)
      throws IOException {
    String rest = " HTTP/1.1\r\nHost: x\r\n" + TestServer.READER + TestServer.JSON;
    assertThat(answer("POST /a/" + text + rest + "Content-Length: 2\r\n\r\n{}")).isLessThan(500);
  }

  @Property(tries = 200)
  void anyChunks(@ForAll @StringLength(max = 80) @CharRange(from = 0, to = 255) String text)
      throws IOException {
    String head = "POST /a/b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n";
    String body = "\r\n" + text + "\r\n0\r\n\r\n\r\n";
    assertThat(answer(head + TestServer.READER + TestServer.JSON + body)).isLessThan(500);
  }

  /** The status, or 0 for a connection that ended without an answer. */
  private static int answer(String bytes) throws IOException {
    try (RawConnection connection = server.connect()) {
      return connection.send(bytes).finish().answer().status();
    } catch (java.io.EOFException | SocketException _) {
      return 0;
    }
  }
}
