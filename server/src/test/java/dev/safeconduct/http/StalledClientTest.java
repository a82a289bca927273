package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.server.Timeouts;
import dev.safeconduct.identity.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Clients that say nothing, or too little, on a server that waits for milliseconds. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StalledClientTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Route things =
      Route.post("/things", Permission.scope(Scope.READ), r -> Response.json(200, r.json()));
  private final TestServer server =
      new TestServer(
          Map.of(), new Timeouts(SHORT, SHORT.multipliedBy(3), SHORT, LONG, SHORT), things);

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void aSilentConnectionEnds() throws IOException {
    try (RawConnection silent = server.connect()) {
      assertThat(silent.isAtEnd()).isTrue();
    }
  }

  @Test
  void aHeadThatStopsEndsTheConnection() throws IOException {
    try (RawConnection stalled = server.connect()) {
      stalled.send("GET /healthz HTTP/1.1\r\nHo");
      assertThat(stalled.isAtEnd()).isTrue();
    }
    try (RawConnection second = server.connect()) {
      second.send(TestServer.request("GET /healthz", "", ""));
      assertThat(second.answer().status()).isEqualTo(200);
      second.send("GET /healthz HTTP/1.1\r\nHo");
      assertThat(second.isAtEnd()).as("also behind another request").isTrue();
    }
  }

  @Test
  void aHeadThatDripsEndsTheConnection() throws IOException {
    try (RawConnection slow = server.connect()) {
      slow.send("GET /healthz HTTP/1.1\r\nX-Long: ");
      assertThat(slow.drip(SHORT.dividedBy(6), LONG)).as("no byte was late").isTrue();
    }
  }

  @Test
  void aBodyThatStopsEndsItsConnectionAndAnIdleOneGoesOn() throws IOException {
    try (RawConnection idle = server.connect();
        RawConnection stalled = server.connect()) {
      idle.send(TestServer.request("GET /healthz", "", ""));
      assertThat(idle.answer().status()).isEqualTo(200);
      stalled.send(
          "POST /things HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n"
              + TestServer.READER
              + TestServer.JSON
              + "\r\n");
      assertThat(stalled.answer().status()).isEqualTo(100);
      assertThat(stalled.isAtEnd()).isTrue();
      idle.send(TestServer.request("GET /healthz", "", ""));
      assertThat(idle.answer().status()).isEqualTo(200);
    }
  }
}
