package dev.safeconduct;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.Map;

/** The service in a process of its own, as it is run; its output is read until it answers. */
final class ServerProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader said;
  private final URI base;

  ServerProcess(Path data, Map<String, String> settings) throws IOException {
    int port = freePort();
    base = URI.create("http://127.0.0.1:" + port + "/");
    var builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve")
            .redirectErrorStream(true);
    builder.environment().putAll(settings);
    builder.environment().put("ADMIN_TOKEN", TestService.ADMIN_TOKEN);
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

  /** Calls without a credential. */
  Calls nobody(HttpClient client) {
    return new Calls(client, base);
  }

  /** Calls with the admin token. */
  Calls admin(HttpClient client) {
    return nobody(client).with("Authorization", "Bearer " + TestService.ADMIN_TOKEN);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
