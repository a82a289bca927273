import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
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
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Status changes of some organizations and verifications, alone and while the receiver of another
 * organization hangs with many status changes waiting for it. Needs nothing but a JDK.
 */
final class Hang {
  private static final int HANGING = 100;
  private static final int ROUNDS = 3;
  private static final int CHANGES = 1_000;
  private static final int VERIFICATIONS = 10_000;
  private static final int CHANGING = 4;
  private static final int VERIFYING = 8;
  private static final Pattern ORG = Pattern.compile("\"org_id\":\"([^\"]+)\"");
  private static final Pattern WEBHOOK = Pattern.compile("\"webhook_id\":\"([^\"]+)\"");
  private static final Pattern AGENT = Pattern.compile("\"agent_id\":\"([^\"]+)\"");

  private final String base;
  private final String adminToken;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Hang(String base, String adminToken) {
    this.base = base;
    this.adminToken = adminToken;
  }

  public static void main(String[] args) throws Exception {
    new Hang(args[0], args[1]).run();
    System.exit(0);
  }

  private void run() throws Exception {
    var agents = new ArrayList<String>();
    for (int i = 0; i < CHANGING; i++) {
      agents.add(agent(organization("Other " + i)));
    }
    String asked = agent(organization("Asking"));
    String hung = organization("Hanging");
    measure(agents, asked); // the compiler has its turn
    whileHanging(hung, () -> measure(agents, asked));
    for (int i = 0; i < ROUNDS; i++) {
      report("nothing hangs", measure(agents, asked));
      report(HANGING + " changes hang", whileHanging(hung, () -> measure(agents, asked)));
    }
    report("nothing hangs", measure(agents, asked));
  }

  /** Measures while so many status changes wait for a receiver that never answers. */
  private Times whileHanging(String org, Callable<Times> measurement) throws Exception {
    var reached = new CountDownLatch(HANGING);
    var sockets = new CopyOnWriteArrayList<Socket>();
    var waiting = new ArrayList<CompletableFuture<String>>();
    Times times;
    try (var receiver = new ServerSocket(0, HANGING, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> accept(receiver, sockets, reached));
      String url = "http://127.0.0.1:" + receiver.getLocalPort() + "/";
      String webhook =
          found(
              WEBHOOK,
              call(
                  "POST",
                  "/api/webhooks",
                  "{\"org_id\":\"" + org + "\",\"url\":\"" + url + "\"}",
                  201));
      for (int i = 0; i < HANGING; i++) {
        String agent = agent(org);
        waiting.add(
            CompletableFuture.supplyAsync(
                () -> change(agent, "suspended"), task -> Thread.ofVirtual().start(task)));
      }
      reached.await();
      times = measurement.call();
      if (waiting.stream().anyMatch(CompletableFuture::isDone)) {
        throw new IllegalStateException("the receiver did not hang all the while");
      }
      call("DELETE", "/api/webhooks/" + webhook, "", 200);
    }
    for (Socket socket : sockets) {
      socket.close();
    }
    for (CompletableFuture<String> each : waiting) {
      each.get();
    }
    return times;
  }

  private static void accept(ServerSocket receiver, List<Socket> sockets, CountDownLatch reached) {
    try {
      while (true) {
        sockets.add(receiver.accept());
        reached.countDown();
      }
    } catch (IOException _) {
      // closed
    }
  }

  private record Times(long[] changes, long[] verifications, long changed, long verified) {}

  /** Both loads at once; all times in nanoseconds. */
  private Times measure(List<String> agents, String asked) throws Exception {
    long began = System.nanoTime();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var changing = new ArrayList<Future<long[]>>();
      for (String agent : agents) {
        changing.add(threads.submit(() -> changes(agent)));
      }
      var verifying = new ArrayList<Future<long[]>>();
      for (int i = 0; i < VERIFYING; i++) {
        verifying.add(threads.submit(() -> verifications(asked)));
      }
      long[] changes = gather(changing);
      long changed = System.nanoTime() - began;
      long[] verifications = gather(verifying);
      return new Times(changes, verifications, changed, System.nanoTime() - began);
    }
  }

  private static long[] gather(List<Future<long[]>> parts) throws Exception {
    long[] all = {};
    for (Future<long[]> part : parts) {
      long[] more = part.get();
      int before = all.length;
      all = Arrays.copyOf(all, before + more.length);
      System.arraycopy(more, 0, all, before, more.length);
    }
    Arrays.sort(all);
    return all;
  }

  private long[] changes(String agent) {
    long[] times = new long[CHANGES / CHANGING];
    for (int i = 0; i < times.length; i++) {
      long began = System.nanoTime();
      change(agent, i % 2 == 0 ? "suspended" : "active");
      times[i] = System.nanoTime() - began;
    }
    return times;
  }

  private long[] verifications(String agent) {
    long[] times = new long[VERIFICATIONS / VERIFYING];
    for (int i = 0; i < times.length; i++) {
      long began = System.nanoTime();
      call(
          "POST",
          "/api/verify/policy/system.command.execute.v1",
          "{\"context\":{\"agent_id\":\"" + agent + "\",\"command\":\"git status\"}}",
          200);
      times[i] = System.nanoTime() - began;
    }
    return times;
  }

  private String organization(String name) {
    return found(ORG, call("POST", "/api/orgs", "{\"name\":\"" + name + "\"}", 201));
  }

  private String agent(String org) {
    String body =
        "{\"org_id\":\""
            + org
            + "\",\"name\":\"Agent\",\"capabilities\":[{\"id\":\"system.command.execute\"}],"
            + "\"limits\":{\"system.command.execute\":{\"allowed_commands\":[\"git\"]}}}";
    return found(AGENT, call("POST", "/api/passports", body, 201));
  }

  private String change(String agent, String status) {
    return call(
        "PUT", "/api/passports/" + agent + "/status", "{\"status\":\"" + status + "\"}", 200);
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException(text);
    }
    return matcher.group(1);
  }

  private String call(String method, String path, String body, int wanted) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .header("Authorization", "Bearer " + adminToken)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
      String text = new String(answer.body(), UTF_8);
      if (answer.statusCode() != wanted) {
        throw new IllegalStateException(answer.statusCode() + " " + text);
      }
      return text;
    } catch (IOException e) {
      throw new IllegalStateException(path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void report(String name, Times times) {
    System.out.printf(
        Locale.ROOT,
        "  %-24s %5d changes in %5.2f s, p50 %5.2f, p99 %6.2f ms; %6d verifications in %5.2f s, p50"
            + " %5.2f, p99 %6.2f ms%n",
        name,
        times.changes().length,
        times.changed() / 1e9,
        at(times.changes(), 50),
        at(times.changes(), 99),
        times.verifications().length,
        times.verified() / 1e9,
        at(times.verifications(), 50),
        at(times.verifications(), 99));
  }

  private static double at(long[] sorted, int percent) {
    return sorted[(sorted.length - 1) * percent / 100] / 1e6;
  }
}
