package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a process does that has few descriptors, or is told to stop. */
@Tag("slow")
final class ServedProcessTest {
  private static final int DESCRIPTORS = 800;
  private static final int CLIENTS = 1_000;
  private static final Pattern FAULT = Pattern.compile("WARN|ERROR|Exception");
  private static final long LONG_NANOS = 60_000_000_000L;

  /**
   * With the default a quarter of the descriptors stays free; with as many connections as
   * descriptors, {@code accept} fails.
   */
  @Tag("attack")
  @ParameterizedTest
  @CsvSource({"'', 600", "800, 800"})
  void silentConnectionsDoNotMakeItDeaf(String setting, int most, @TempDir Path data)
      throws Exception {
    try (var server =
        ServerProcess.withDescriptors(DESCRIPTORS, data, Map.of("MAX_CONNECTIONS", setting))) {
      server.awaitAnswering();
      List<Socket> silent = new ArrayList<>();
      try (var first = new RawConnection(server.port())) {
        first.send(TestServer.request("GET /healthz", "", ""));
        assertThat(first.answer().status()).isEqualTo(200);
        for (int i = 0; i < CLIENTS; i++) {
          silent.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
        }
        first.send(TestServer.request("GET /healthz", "", ""));
        assertThat(first.answer().status()).as("old connections live").isEqualTo(200);
        if (setting.isEmpty()) {
          assertThat(isRefused(silent.getLast())).as("beyond %s", most).isTrue();
        }
      } finally {
        for (Socket socket : silent) {
          socket.close();
        }
      }
      assertThat(answersAgain(server.port())).isTrue();
    }
  }

  private static boolean isRefused(Socket socket) throws IOException {
    socket.setSoTimeout(5_000);
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException _) {
      return true;
    }
  }

  private static boolean answersAgain(int port) {
    long started = System.nanoTime();
    while (System.nanoTime() - started < LONG_NANOS) {
      try (var connection = new RawConnection(port)) {
        connection.send(TestServer.request("GET /healthz", "", ""));
        return connection.answer().status() == 200;
      } catch (IOException _) {
        // Not yet.
      }
    }
    return false;
  }

  @Tag("attack")
  @Test
  void whatHasBegunIsAnsweredWhenItIsToldToStop(@TempDir Path data) throws Exception {
    // Not the tests' own.
    Map<String, String> logging =
        Map.of("JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml");
    try (var server = new ServerProcess(data, logging)) {
      server.awaitAnswering();
      for (int linger : List.of(-1, 0)) {
        leaveWithinABody(server.port(), linger);
      }
      String body = "{\"context\": {}}";
      try (var busy = new RawConnection(server.port())) {
        busy.send(
            "POST /api/verify/policy/web.fetch.v1 HTTP/1.1\r\nHost: localhost\r\n"
                + TestServer.JSON
                + ("Authorization: Bearer " + TestService.ADMIN_TOKEN + "\r\n")
                + "Expect: 100-continue\r\n"
                + ("Content-Length: " + body.length() + "\r\n\r\n"));
        assertThat(busy.answer().status()).isEqualTo(100);
        server.terminate();
        awaitRefusal(server.port());
        busy.send(body);
        assertThat(busy.answer().status()).isBetween(200, 499);
        assertThat(busy.isAtEnd()).isTrue();
      }
      assertThat(server.exitStatus()).isEqualTo(128 + 15);
      assertThat(server.said()).as("clients that leave").noneMatch(FAULT.asPredicate());
    }
  }

  /** Closes the connection, or resets it when {@code linger} is 0. */
  private static void leaveWithinABody(int port, int linger) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoLinger(linger >= 0, linger);
      socket
          .getOutputStream()
          .write(
              ("POST /api/verify/policy/web.fetch.v1 HTTP/1.1\r\nHost: localhost\r\n"
                      + TestServer.JSON
                      + ("Authorization: Bearer " + TestService.ADMIN_TOKEN + "\r\n")
                      + "Content-Length: 5000\r\n\r\n{")
                  .getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static void awaitRefusal(int port) {
    boolean refused = false;
    while (!refused) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
      } catch (IOException _) {
        refused = true;
      }
    }
  }
}
