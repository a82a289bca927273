package dev.safeconduct.gateway.testkit;

import dev.safeconduct.client.Safeconduct;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The packaged service on a free port, in a process and a folder of its own. {@code
 * SAFECONDUCT_COMMAND} replaces {@code bin/safeconduct}.
 */
public final class RunningService implements AutoCloseable {
  private static final Pattern KEY = Pattern.compile("sck_[A-Za-z0-9_]+");

  private static final class Shared {
    private static final RunningService INSTANCE = start();
  }

  private final Process process;
  private final String url;
  private final String key;

  private RunningService(Path data) throws IOException {
    int port = freePort();
    url = "http://127.0.0.1:" + port;
    String command = System.getenv().getOrDefault("SAFECONDUCT_COMMAND", "bin/safeconduct");
    var builder = new ProcessBuilder(command, "serve").redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "PORT",
                Integer.toString(port),
                "DATA_DIR",
                data.toString(),
                "DRAIN_SECONDS",
                "0",
                "RATE_VERIFY_PER_KEY_PER_MINUTE",
                "0"));
    process = builder.start();
    BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
    var output = new StringBuilder();
    for (String line = said.readLine(); ; line = said.readLine()) {
      if (line == null) {
        throw new IOException("the service ended: " + output);
      }
      if (line.contains("answers on")) {
        break;
      }
      output.append(line).append('\n');
    }
    Matcher found = KEY.matcher(Files.readString(data.resolve("first-run.txt")));
    if (!found.find()) {
      throw new IOException("there is no key");
    }
    key = found.group();
  }

  /** Returns the service that all tests of a process share; it ends with the process. */
  public static RunningService shared() {
    return Shared.INSTANCE;
  }

  /** Starts a service that the caller closes. */
  public static RunningService start() {
    try {
      var service = new RunningService(Files.createTempDirectory("gateway-service"));
      Runtime.getRuntime().addShutdownHook(new Thread(service::close));
      return service;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  public String url() {
    return url;
  }

  public String key() {
    return key;
  }

  /** Returns a client with all scopes. */
  public Safeconduct client() {
    return client(url, Duration.ofSeconds(20));
  }

  /** Returns a client that asks at another address. */
  public Safeconduct client(String address, Duration timeout) {
    return Safeconduct.builder()
        .baseUrl(address)
        .apiKey(key)
        .timeout(timeout)
        .requireSignature(true)
        .build();
  }

  /** Issues a passport that may call tools, and returns its id. */
  public String agent(Map<String, ?> limits) {
    try (Safeconduct client = client()) {
      Object id =
          client
              .issue(
                  Map.of(
                      "name",
                      "A client of the gateway",
                      "description",
                      "An agent of a test.",
                      "capabilities",
                      List.of(Map.of("id", "mcp.tool.execute"), Map.of("id", "messaging.send")),
                      "limits",
                      Map.of(
                          "mcp.tool.execute",
                          limits,
                          "messaging.send",
                          Map.of(
                              "msgs_per_min",
                              100,
                              "msgs_per_day",
                              1000,
                              "channels_allowlist",
                              List.of("general")))))
              .get("agent_id");
      return String.valueOf(id);
    }
  }

  @Override
  public void close() {
    kill();
  }

  /** Ends it at once, as a crash does. */
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
