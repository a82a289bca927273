package dev.safeconduct.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WebServerTest {
  private static final CallHandler NOTHING =
      new CallHandler() {
        @Override
        public void handle(Call call) {
          call.send(204, ByteBuffer.allocate(0));
        }

        @Override
        public void refuse(Call call, int status) {
          call.send(status, ByteBuffer.allocate(0));
        }
      };

  /** An interrupt closes the listening socket under the thread that accepts. */
  @Test
  void aServerThatCannotAcceptAnyMoreSaysSo() throws Exception {
    var deaf = new CountDownLatch(1);
    var config = new ListenerConfig("127.0.0.1", 0, Optional.empty(), 10, Timeouts.DEFAULT);
    WebServer server = WebServer.start(config, NOTHING, deaf::countDown);
    try {
      Optional<Thread> acceptor = acceptor(server);
      while (acceptor.isEmpty()) { // It has its name when it has begun.
        acceptor = acceptor(server);
      }
      acceptor.get().interrupt();
      assertThat(deaf.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      server.stop();
    }
  }

  private static Optional<Thread> acceptor(WebServer server) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().contains("acceptor"))
        .filter(thread -> thread.getName().contains(":" + server.port() + "}"))
        .findFirst();
  }

  @Test
  void oneThatStopsIsNotDeaf() throws Exception {
    var deaf = new CountDownLatch(1);
    var config = new ListenerConfig("127.0.0.1", 0, Optional.empty(), 10, Timeouts.DEFAULT);
    WebServer.start(config, NOTHING, deaf::countDown).stop();
    assertThat(deaf.getCount()).isOne();
  }
}
