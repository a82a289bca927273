import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Suspends an agent, or halts every organization, on one node while others ask for the agent on
 * the other nodes, and measures for how long these go on allowing. It needs nothing but a JDK and
 * knows nothing of the service but its HTTP contract.
 *
 * <p>Two figures a round, both from the moment the suspension was answered: until each other node
 * has answered its first deny, and until the last question was sent that one of them still allowed
 * (0 when there was none).
 */
final class Suspension {
  private static final int ASKING_EACH = 3;
  private static final long NEVER = Long.MAX_VALUE;

  private final String here;
  private final List<String> others;
  private final String key;
  private final String admin;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Suspension(String here, List<String> others, String key, String admin) {
    this.here = here;
    this.others = others;
    this.key = key;
    this.admin = admin;
  }

  public static void main(String[] args) throws Exception {
    new Suspension(args[0], List.of(args[1].split(",", -1)), args[2], args[6])
        .run(args[3], Integer.parseInt(args[4]), Long.parseLong(args[5]));
    System.exit(0);
  }

  private record Round(long untilDenied, long untilLastAllow) {}

  private void run(String agent, int rounds, long boundMs) throws Exception {
    var measured = new ArrayList<Round>();
    for (int i = 0; i < rounds; i++) {
      measured.add(round(agent));
    }
    report("until the first deny", measured.stream().mapToLong(Round::untilDenied).toArray());
    report(
        "until the last question that was allowed",
        measured.stream().mapToLong(Round::untilLastAllow).toArray());
    long worst =
        measured.stream()
            .mapToLong(round -> Math.max(round.untilDenied(), round.untilLastAllow()))
            .max()
            .orElseThrow();
    if (worst > boundMs * 1_000_000) {
      System.err.println("NOT within " + boundMs + " ms");
      System.exit(1);
    }
    System.out.println("within " + boundMs + " ms in each of " + rounds + " rounds");
  }

  private Round round(String agent) throws Exception {
    status(agent, "active");
    while (!others.stream().allMatch(node -> allows(node, agent))) {
      // one of them has not heard of it yet
    }
    var answered = new AtomicLong(NEVER);
    var asking = new ArrayList<List<CompletableFuture<Round>>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (String node : others) {
        var ofNode = new ArrayList<CompletableFuture<Round>>();
        for (int i = 0; i < ASKING_EACH; i++) {
          ofNode.add(
              CompletableFuture.supplyAsync(() -> askUntilDenied(node, agent, answered), threads));
        }
        asking.add(ofNode);
      }
      status(agent, "suspended");
      answered.set(System.nanoTime());
      long denied = 0;
      long allowed = 0;
      for (List<CompletableFuture<Round>> ofNode : asking) {
        long first = NEVER;
        for (CompletableFuture<Round> each : ofNode) {
          first = Math.min(first, each.get().untilDenied());
          allowed = Math.max(allowed, each.get().untilLastAllow());
        }
        denied = Math.max(denied, first);
      }
      return new Round(denied, allowed);
    }
  }

  /** Asks until a question that was sent after the suspension's answer is denied. */
  private Round askUntilDenied(String node, String agent, AtomicLong answered) {
    long allowed = 0;
    while (true) {
      long sent = System.nanoTime();
      boolean after = answered.get() <= sent;
      boolean allow = allows(node, agent);
      if (after && allow) {
        allowed = sent - answered.get();
      } else if (after) {
        return new Round(System.nanoTime() - answered.get(), allowed);
      }
    }
  }

  private boolean allows(String node, String agent) {
    String answer =
        call(
            "POST",
            node + "/api/verify/policy/messaging.message.send.v1",
            "{\"context\":{\"agent_id\":\""
                + agent
                + "\",\"channel_id\":\"engineering\",\"message\":\"hello\",\"message_type\":\"text\"}}");
    return answer.contains("\"allow\":true");
  }

  private void status(String agent, String status) {
    if (!admin.isEmpty()) {
      boolean halts = status.equals("suspended");
      call(
          "POST",
          here + "/api/admin/" + (halts ? "halt" : "resume"),
          halts ? "{\"reason\":\"a drill\"}" : "{}");
      return;
    }
    call(
        "PUT", here + "/api/passports/" + agent + "/status", "{\"status\":\"" + status + "\"}");
  }

  private String call(String method, String address, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address))
            .header(
                address.contains("/api/admin/") ? "Authorization" : "X-API-Key",
                address.contains("/api/admin/") ? "Bearer " + admin : key)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
      String text = new String(answer.body(), UTF_8);
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(answer.statusCode() + " " + text);
      }
      return text;
    } catch (IOException e) {
      throw new IllegalStateException(address, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void report(String what, long[] nanos) {
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%s: median %.1f ms, p99 %.1f ms, max %.1f ms%n",
        what,
        nanos[nanos.length / 2] / 1e6,
        nanos[(nanos.length - 1) * 99 / 100] / 1e6,
        nanos[nanos.length - 1] / 1e6);
  }
}
