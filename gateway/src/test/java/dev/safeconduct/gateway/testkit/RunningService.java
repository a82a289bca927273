package dev.safeconduct.gateway.testkit;

import dev.safeconduct.client.Safeconduct;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The packaged service on a free port, in a process and a folder of its own. {@code
 * SAFECONDUCT_COMMAND} replaces {@code bin/safeconduct}.
 */
public final class RunningService implements AutoCloseable {
  private static final Pattern KEY = Pattern.compile("sck_[A-Za-z0-9_]+");

  private static final int MAX_STARTS = 5;
  private static final long START_SECONDS = 120;

  private static final class Shared {
    private static final RunningService INSTANCE = start();
  }

  private final Process process;
  private final String url;
  private final String key;

  private RunningService(Path data) throws IOException {
    String command = System.getenv().getOrDefault("SAFECONDUCT_COMMAND", "bin/safeconduct");
    var builder = new ProcessBuilder(command, "serve").redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "PORT",
                "0",
                "DATA_DIR",
                data.toString(),
                "DRAIN_SECONDS",
                "0",
                "RATE_VERIFY_PER_KEY_PER_MINUTE",
                "0"));
    process = builder.start();
    url = address();
    Matcher found = KEY.matcher(Files.readString(data.resolve("first-run.txt")));
    if (!found.find()) {
      throw new IOException("there is no key");
    }
    key = found.group();
  }

  /** Waits until the service says its address; reads what it says to the end, or it would block. */
  private String address() throws IOException {
    var address = new CompletableFuture<String>();
    List<String> output = new CopyOnWriteArrayList<>();
    Thread.ofPlatform()
        .daemon()
        .name("test-service")
        .start(() -> {
          try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
              if (line.contains("answers on")) {
                address.complete(line.substring(line.indexOf("http")));
              }
              if (!address.isDone()) {
                output.add(line);
              }
            }
          } catch (IOException e) {
            output.add(e.toString());
          }
          address.completeExceptionally(new IOException("the service ended: " + output));
        });
    try {
      return address.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(Objects.requireNonNull(e.getCause()).getMessage(), e);
    } catch (InterruptedException | TimeoutException e) {
      kill();
      throw new IOException("the service does not start: " + output, e);
    }
  }

  /** Returns the service that all tests of a process share; it ends with the process. */
  public static RunningService shared() {
    return Shared.INSTANCE;
  }

  /** Starts a service that the caller closes. */
  public static RunningService start() {
    for (int tries = 1; ; tries++) {
      try {
        var service = new RunningService(Files.createTempDirectory("gateway-service"));
        Runtime.getRuntime().addShutdownHook(new Thread(service::close));
        return service;
      } catch (IOException e) {
        // Another process may take the free port before the service binds it.
        if (tries == MAX_STARTS
            || !String.valueOf(e.getMessage()).contains("cannot be listened on")) {
          throw new UncheckedIOException(e);
        }
      }
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

  /** Returns the records of a decision, as text. */
  public String record(String decisionId) {
    try (Safeconduct client = client()) {
      return String.valueOf(client.request("GET", "/api/audit/" + decisionId, null));
    }
  }

  /** Returns how many decisions the service has recorded for an agent, dry runs too. */
  public long decisions(String agentId) {
    try (Safeconduct client = client()) {
      Object records =
          client
              .request("GET", "/api/audit?kind=decision&limit=200&agent_id=" + agentId, null)
              .get("records");
      return ((List<?>) Objects.requireNonNull(records)).size();
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
