import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client and the HTTP receiver of the runs of the audit stream. It knows nothing of the service
 * but its HTTP contract.
 *
 * <p>{@code load} asks for decisions and bears that the service is killed. {@code receive} appends
 * what it gets to a file before it answers. {@code check} compares such a file, or that of a syslog
 * server, with the whole log: nothing missing, and in order once repetitions are left out.
 */
final class Stream {
  private static final Pattern RECORD =
      Pattern.compile("\\{\"record_id\":\"[^\"]+\",\"log_index\":(\\d+),.*}");
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();

  private Stream() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "load" ->
          load(
              List.of(args[1].split(",", -1)),
              args[2],
              args[3],
              Integer.parseInt(args[4]),
              Integer.parseInt(args[5]));
      case "receive" -> receive(Integer.parseInt(args[1]), Path.of(args[2]), Long.parseLong(args[3]));
      case "check" -> check(args[1], args[2], Path.of(args[3]));
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(0);
  }

  /** Prints how many decisions a second were answered. */
  private static void load(List<String> bases, String key, String agent, int clients, int seconds)
      throws Exception {
    var answered = new AtomicLong();
    long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < clients; i++) {
        int first = i;
        pool.submit(() -> {
          for (int turn = first; System.nanoTime() < end; turn++) {
            String base = bases.get(turn % bases.size());
            String command = turn % 3 == 0 ? "rm -rf /" : "git log -n " + turn;
            HttpRequest ask =
                HttpRequest.newBuilder(
                        URI.create(base + "/api/verify/policy/system.command.execute.v1"))
                    .timeout(Duration.ofSeconds(5))
                    .header("X-API-Key", key)
                    .header("Content-Type", "application/json")
                    .POST(
                        BodyPublishers.ofString(
                            "{\"context\":{\"agent_id\":\"%s\",\"command\":\"%s\"}}"
                                .formatted(agent, command)))
                    .build();
            try {
              if (HTTP.send(ask, BodyHandlers.discarding()).statusCode() == 200) {
                answered.incrementAndGet();
              }
            } catch (IOException e) {
              Thread.sleep(50); // the service was killed, and starts again
            }
          }
          return null;
        });
      }
    }
    System.out.println(answered.get() / seconds);
  }

  private static void receive(int port, Path file, long delayMs) throws Exception {
    var server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
    var out = new FileOutputStream(file.toFile(), true);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Thread.sleep(delayMs);
            out.write(body);
            exchange.sendResponseHeaders(200, -1);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    server.start();
    Thread.currentThread().join();
  }

  private static void check(String base, String admin, Path file) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Map<Long, String> log = new HashMap<>();
    HttpRequest export =
        HttpRequest.newBuilder(URI.create(base + "/api/audit/export?format=ndjson"))
            .header("Authorization", "Bearer " + admin)
            .build();
    HTTP.send(export, BodyHandlers.ofLines())
        .body()
        .forEach(line -> log.put(index(line).orElseThrow(), line));
    while (true) {
      var found = new Found();
      try (BufferedReader lines = Files.newBufferedReader(file, UTF_8)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          found.add(line, log);
        }
      }
      Set<Long> missing = new HashSet<>(log.keySet());
      missing.removeAll(found.seen);
      if (missing.isEmpty() || System.nanoTime() > deadline) {
        System.out.printf(
            "%d records in the log, %d received, %d of them again, %d torn; missing %d, changed %d,"
                + " out of order %d%n",
            log.size(), found.lines, found.lines - found.seen.size(), found.torn, missing.size(),
            found.changed, found.disorder);
        System.exit(missing.isEmpty() && found.changed == 0 && found.disorder == 0 ? 0 : 1);
      }
      Thread.sleep(500);
    }
  }

  private static java.util.Optional<Long> index(String line) {
    Matcher record = RECORD.matcher(line);
    return record.find()
        ? java.util.Optional.of(Long.parseLong(record.group(1)))
        : java.util.Optional.empty();
  }

  /** What a file holds. */
  private static final class Found {
    private final Set<Long> seen = new HashSet<>();
    private long lines;
    private long torn;
    private long changed;
    private long disorder;
    private long last = -1;

    void add(String line, Map<Long, String> log) {
      Matcher record = RECORD.matcher(line);
      if (!record.find()) {
        torn++;
        return;
      }
      long index = Long.parseLong(record.group(1));
      String sent = log.get(index);
      if (sent == null) {
        return; // made after the export
      }
      if (!sent.equals(record.group())) {
        // A process that was killed may leave half a line, to which its successor appends.
        if (line.indexOf("{\"record_id\"") != line.lastIndexOf("{\"record_id\"")) {
          torn++;
        } else {
          changed++;
        }
        return;
      }
      lines++;
      if (seen.add(index)) {
        if (index < last) {
          disorder++;
        }
        last = index;
      }
    }
  }
}
