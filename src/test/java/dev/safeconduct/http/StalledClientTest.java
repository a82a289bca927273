package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class StalledClientTest {
  @Test
  void aClientThatStopsInTheMiddleOfItsBodyIsCutOffAndAnIdleOneIsNot() throws IOException {
    Route things =
        Route.post("/things", Permission.scope(Scope.READ), r -> Response.json(200, r.json()));
    try (var server = new TestServer(things);
        RawConnection idle = server.connect();
        RawConnection stalled = server.connect()) {
      idle.send(TestServer.request("GET /healthz", "", ""));
      assertThat(idle.answer().status()).isEqualTo(200);
      stalled.send(
          "POST /things HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n"
              + TestServer.READER
              + TestServer.JSON
              + "\r\n");
      assertThat(stalled.answer().status()).isEqualTo(100);
      Thread sweeper = Thread.ofVirtual().start(() -> sweepAll(server));
      assertThat(stalled.isAtEnd()).isTrue();
      sweeper.interrupt();
      idle.send(TestServer.request("GET /healthz", "", ""));
      assertThat(idle.answer().status()).isEqualTo(200);
    }
  }

  private static void sweepAll(TestServer server) {
    while (!Thread.currentThread().isInterrupted()) {
      server.server().sweep();
    }
  }
}
