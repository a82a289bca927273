import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client of the failover test. It asks all nodes until a file appears, repeats each refused
 * request with its idempotency key, and writes down every decision that was answered: {@code
 * decision_id log_index allow agent_id}. Its last line on standard output has what it measured.
 */
final class Failover {
  private static final int CALLERS = 8;
  private static final int RACERS = 16;

  /** What is left of the cap when the race begins, in which the primary is killed. */
  private static final int EDGE = 40;

  private static final Pattern ID = Pattern.compile("\"decision_id\":\"([^\"]+)\"");
  private static final Pattern INDEX = Pattern.compile("\"log_index\":(\\d+)");

  private final List<String> bases;
  private final String key;
  private final String admin;
  private final Path stop;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final Queue<String> answered = new ConcurrentLinkedQueue<>();
  private final AtomicLong answeredAt = new AtomicLong(System.nanoTime());
  private final AtomicLong longestGap = new AtomicLong();
  private final AtomicLong slowest = new AtomicLong();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger suspensions = new AtomicInteger();
  private final AtomicInteger turn = new AtomicInteger();

  private Failover(String bases, String key, String admin, Path stop) {
    this.bases = List.of(bases.split(",", -1));
    this.key = key;
    this.admin = admin;
    this.stop = stop;
  }

  public static void main(String[] args) throws Exception {
    var client = new Failover(args[0], args[1], args[2], Path.of(args[3]));
    client.run(Path.of(args[4]), Path.of(args[5]), args[6], args[7], args[8], Integer.parseInt(args[9]));
    System.exit(0);
  }

  private void run(Path out, Path edge, String free, String capped, String watched, int cap)
      throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CALLERS; i++) {
        var _ = threads.submit(() -> whileRunning(() -> decide(free)));
      }
      var _ = threads.submit(() -> whileRunning(() -> suspend(watched)));
      for (int i = 0; i < cap - EDGE; i++) {
        decide(capped);
      }
      Files.createFile(edge);
      for (int i = 0; i < RACERS; i++) {
        var _ = threads.submit(() -> whileRunning(() -> {
          decide(capped);
          Thread.sleep(100);
        }));
      }
    }
    interrupted(System.nanoTime());
    while (decide(capped)) {} // what is left of the cap
    try (var file = new PrintWriter(Files.newBufferedWriter(out, UTF_8))) {
      answered.forEach(file::println);
    }
    System.out.printf(
        "%d asked, %d answered, %d refusals repeated, %d suspensions held; slowest answer %d ms;"
            + " interrupted %d ms%n",
        asked.get(), answered.size(), refused.get(), suspensions.get(),
        slowest.get() / 1_000_000, longestGap.get() / 1_000_000);
  }

  private interface Step {
    void run() throws Exception;
  }

  private void whileRunning(Step step) {
    try {
      while (!Files.exists(stop)) {
        step.run();
      }
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  /** Asks until it is answered, and returns whether it was allowed. */
  private boolean decide(String agent) throws Exception {
    String idempotency = UUID.randomUUID().toString();
    asked.incrementAndGet();
    String body =
        "{\"context\":{\"agent_id\":\"" + agent + "\",\"channel_id\":\"engineering\","
            + "\"message_type\":\"text\",\"message\":\"" + idempotency + "\"}}";
    while (true) {
      HttpResponse<String> response =
          send(request("/api/verify/policy/messaging.message.send.v1", key)
              .header("Idempotency-Key", idempotency)
              .header("Content-Type", "application/json")
              .header("Prefer", "return=minimal")
              .POST(BodyPublishers.ofString(body)));
      if (response != null && response.statusCode() == 200) {
        interrupted(System.nanoTime());
        boolean allowed = response.body().contains("\"allow\":true");
        answered.add(
            found(ID, response.body()) + " " + found(INDEX, response.body()) + " " + allowed + " " + agent);
        return allowed;
      }
      repeat(response);
    }
  }

  /** Suspends the agent; once that is answered no node may allow it. */
  private void suspend(String agent) throws Exception {
    status(agent, "suspended");
    for (int i = 0; i < 2 * bases.size(); i++) {
      if (decide(agent)) {
        throw new IllegalStateException("a suspended agent was allowed");
      }
    }
    suspensions.incrementAndGet();
    status(agent, "active");
    Thread.sleep(50);
  }

  private void status(String agent, String status) throws Exception {
    while (true) {
      HttpResponse<String> response =
          send(request("/api/admin/status", "")
              .header("Authorization", "Bearer " + admin)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(
                  "{\"agent_id\":\"" + agent + "\",\"status\":\"" + status + "\"}")));
      if (response != null && response.statusCode() == 200) {
        return;
      }
      repeat(response);
    }
  }

  private void repeat(HttpResponse<String> response) throws InterruptedException {
    if (response != null && response.statusCode() != 503) {
      throw new IllegalStateException(response.statusCode() + " " + response.body());
    }
    refused.incrementAndGet();
    Thread.sleep(20);
  }

  /** Null when the connection broke. */
  private HttpResponse<String> send(HttpRequest.Builder request) throws InterruptedException {
    long began = System.nanoTime();
    try {
      return http.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      return null;
    } finally {
      slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
    }
  }

  private void interrupted(long now) {
    longestGap.accumulateAndGet(now - answeredAt.getAndSet(now), Math::max);
  }

  /** To the next node. */
  private HttpRequest.Builder request(String path, String apiKey) {
    String base = bases.get(Math.floorMod(turn.getAndIncrement(), bases.size()));
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
    return apiKey.isEmpty() ? request : request.header("X-API-Key", apiKey);
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + pattern + " in " + text);
    }
    return matcher.group(1);
  }
}
