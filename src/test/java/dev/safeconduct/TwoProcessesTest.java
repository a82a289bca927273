package dev.safeconduct;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two server processes on one PostgreSQL: the next question that the other one is asked after a
 * suspension was answered is a deny. How soon it knows by itself is measured by {@code make
 * suspension}.
 */
final class TwoProcessesTest {
  private static final String ADMIN_TOKEN = "the-admin-token-of-two-processes";
  private static final int ROUNDS = 20;

  /** The service as it is run, its output read until it answers. */
  private static final class Node implements AutoCloseable {
    private final Process process;
    private final BufferedReader said;
    private final URI base;

    Node(Path data, Map<String, String> settings) throws IOException {
      int port = freePort();
      base = URI.create("http://127.0.0.1:" + port + "/");
      var builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-Xmx256m",
                  "--enable-native-access=ALL-UNNAMED",
                  "-Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  "serve")
              .redirectErrorStream(true);
      builder.environment().putAll(settings);
      builder.environment().put("PORT", Integer.toString(port));
      builder.environment().put("DATA_DIR", data.toString());
      process = builder.start();
      said = process.inputReader(UTF_8);
    }

    private static int freePort() throws IOException {
      try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      }
    }

    void awaitAnswering() throws IOException {
      var output = new StringBuilder();
      for (String line = said.readLine(); ; line = said.readLine()) {
        assertThat(line).as("the server ended: " + output).isNotNull();
        if (line.contains("answers on")) {
          return;
        }
        output.append(line).append('\n');
      }
    }

    Calls calls(HttpClient client) {
      return new Calls(client, base).with("Authorization", "Bearer " + ADMIN_TOKEN);
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  @Test
  void theOtherDeniesTheNextQuestion(@TempDir Path folder) throws IOException {
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL",
            PostgresServer.shared().freshDatabase(),
            "SAFECONDUCT_MASTER_KEY",
            "a master key of the tests, long enough",
            "ADMIN_TOKEN",
            ADMIN_TOKEN);
    try (Node one = new Node(folder.resolve("one"), settings);
        Node two = new Node(folder.resolve("two"), settings);
        HttpClient client = HttpClient.newHttpClient()) {
      one.awaitAnswering();
      two.awaitAnswering();
      List<Calls> nodes = List.of(one.calls(client), two.calls(client));
      String agent =
          nodes
              .getFirst()
              .post("/api/passports", Questions.passport(Questions.freshAgent(), 1000))
              .string("agent_id");
      JsonObject question = Questions.command(agent, "ls");
      for (int i = 0; i < ROUNDS; i++) {
        Calls here = nodes.get(i % 2);
        Calls there = nodes.get(1 - i % 2);
        assertThat(Questions.code(there.post(Questions.COMMAND, question)))
            .isEqualTo("oap.allowed");
        change(here, agent, "suspended");
        assertThat(Questions.code(there.post(Questions.COMMAND, question)))
            .isEqualTo("oap.passport_suspended");
        change(here, agent, "active");
      }
    }
  }

  private static void change(Calls calls, String agent, String status) {
    Reply reply =
        calls.put("/api/passports/" + agent + "/status", "{\"status\": \"" + status + "\"}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }
}
