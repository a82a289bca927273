package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
  private static final int MOST = 5;

  @Test
  void newConnectionsAreRefusedBeyondTheLimitAndOldOnesLive() throws IOException {
    List<RawConnection> open = new ArrayList<>();
    try (var server = new TestServer(Map.of("MAX_CONNECTIONS", Integer.toString(MOST)))) {
      for (int i = 0; i < MOST; i++) {
        open.add(server.connect());
        assertThat(isServed(open.getLast())).isTrue();
      }
      for (int i = 0; i < MOST; i++) {
        try (RawConnection further = server.connect()) {
          assertThat(isServed(further)).isFalse();
        }
      }
      for (RawConnection old : open) {
        assertThat(isServed(old)).isTrue();
      }
      open.removeFirst().close();
      boolean served = false;
      for (int tries = 0; !served && tries < 10_000; tries++) {
        try (RawConnection next = server.connect()) {
          served = isServed(next);
        }
      }
      assertThat(served).as("there is room again").isTrue();
    } finally {
      for (RawConnection connection : open) {
        connection.close();
      }
    }
  }

  private static boolean isServed(RawConnection connection) throws IOException {
    try {
      return connection.send(TestServer.request("GET /healthz", "", "")).answer().status() == 200;
    } catch (EOFException | SocketException _) {
      return false;
    }
  }
}
