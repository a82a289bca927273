package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.ShellRun.PosixShell;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.WallClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever hangs, {@code bin/safeconduct-hook} denies within 6 seconds, in every shell. */
@Tag("timing")
final class HookProgramDeadlineTest {
  private static final String HEAD =
      """
      HTTP/1.1 200 OK\r
      Safeconduct-Exit: 0\r
      Safeconduct-Output: stdout\r
      Content-Type: application/json\r
      Content-Length: 1000000\r
      \r
      """;

  @TempDir private Path folder;

  /** What hangs, and the settings with which it does. */
  private final Map<String, Map<String, String>> cases = new LinkedHashMap<>();

  private final List<AutoCloseable> open = new ArrayList<>();

  @Test
  void whateverHangsIsDenied() throws Exception {
    try {
      server("hangs before the answer", (connection, _) -> connection.hang());
      server(
          "drips the head",
          (connection, _) -> {
            connection.request();
            connection.send("HTTP/1.1 200 OK\r\n");
            connection.trickle("X: y\r\n");
          });
      server(
          "drips the body",
          (connection, _) -> {
            connection.request();
            connection.send(HEAD);
            connection.trickle(" ");
          });
      server(
          "drips interim answers",
          (connection, _) -> {
            connection.request();
            connection.trickle("HTTP/1.1 102 Processing\r\n\r\n");
          });
      cases.put("hangs in TLS", Map.of("SAFECONDUCT_URL", url("https", silent())));
      cases.put("hangs at connecting", Map.of("SAFECONDUCT_URL", url("http", full())));
      Path curl = Files.writeString(folder.resolve("curl"), "#!/bin/sh\nexec sleep 600\n");
      assertThat(curl.toFile().setExecutable(true)).isTrue();
      cases.put("curl does not keep its limit", Map.of("SAFECONDUCT_CURL", curl.toString()));
      cases.put("standard input does not end", Map.of());
      record Run(String hang, PosixShell shell) {}
      List<Run> runs =
          cases.keySet().stream()
              .flatMap(
                  hang -> List.of(PosixShell.values()).stream().map(shell -> new Run(hang, shell)))
              .toList();
      List<ShellRun> results =
          WallClock.within(
              Duration.ofSeconds(6),
              () -> AtOnce.run(runs.size(), i -> run(runs.get(i).hang(), runs.get(i).shell())));
      for (int i = 0; i < runs.size(); i++) {
        assertThat(results.get(i).exit()).as(runs.get(i).toString()).isEqualTo(2);
        assertThat(results.get(i).err()).as(runs.get(i).toString()).contains("within 5 s");
        assertThat(results.get(i).out()).startsWith("{\"decision\":\"deny\"").endsWith("}");
      }
    } finally {
      for (AutoCloseable each : open) {
        each.close();
      }
    }
  }

  private ShellRun run(String hang, PosixShell shell) {
    var environment = new HashMap<>(Map.of("SAFECONDUCT_API_KEY", "k"));
    environment.putAll(cases.get(hang));
    ProcessBuilder program = shell.process(environment, "safeconduct-hook", "gemini-cli");
    // Output is read to its end, as agents do: nothing that hangs may hold it.
    return hang.startsWith("standard input")
        ? ShellRun.endless(program, "{}")
        : ShellRun.of(program, "{}");
  }

  private void server(String hang, ScriptedReceiver.Script script) {
    ScriptedReceiver server = ScriptedReceiver.start(script);
    open.add(server);
    cases.put(hang, Map.of("SAFECONDUCT_URL", server.url()));
  }

  private static String url(String scheme, ServerSocket server) {
    return scheme + "://127.0.0.1:" + server.getLocalPort();
  }

  /** Connects everybody and says nothing. */
  private ServerSocket silent() throws IOException {
    var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    open.add(server);
    return server;
  }

  /** Has no more room for a connection. */
  private ServerSocket full() throws IOException {
    var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    open.add(server);
    while (true) {
      var socket = new Socket();
      open.add(socket);
      try {
        socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), 300);
      } catch (SocketTimeoutException _) {
        return server;
      }
    }
  }
}
