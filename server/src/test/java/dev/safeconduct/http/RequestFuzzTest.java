package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.io.IOException;
import java.net.SocketException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Whatever a client sends, the fault is the client's: never a 500. */
class RequestFuzzTest {
  private static TestServer server = new TestServer();

  @BeforeAll
  static void start() {
    server.close();
    server =
        new TestServer(
            Route.post("/a/{x}", Permission.scope(Scope.READ), r -> Response.json(200, r.json())));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @RandomTest(cases = 200)
  void anyHead(RandomCase random) throws IOException {
    String text = random.text(200, (char) 0, (char) 255);
    assertThat(answer("POST /a/" + text + "\r\n\r\n")).isNotEqualTo(500);
  }

  @RandomTest(cases = 200)
  void anyCredential(RandomCase random) throws IOException {
    String text = random.text(80, (char) 1, (char) 255);
    String head = "POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n";
    assertThat(answer(head + "X-API-Key: " + text + "\r\n\r\n")).isBetween(400, 499);
    assertThat(answer(head + "Authorization: " + text + "\r\n\r\n")).isBetween(400, 499);
  }

  @RandomTest(cases = 200)
  void anyPathAndQuery(RandomCase random) throws IOException {
    String text = random.text(80, '!', '~');
    String rest = " HTTP/1.1\r\nHost: x\r\n" + TestServer.READER + TestServer.JSON;
    assertThat(answer("POST /a/" + text + rest + "Content-Length: 2\r\n\r\n{}")).isLessThan(500);
  }

  @RandomTest(cases = 200)
  void anyChunks(RandomCase random) throws IOException {
    String text = random.text(80, (char) 0, (char) 255);
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
