import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Caps on several server processes with one database, seen from outside. {@code race} lets 64
 * callers run for the last units of each kind of counter. {@code spend} uses a daily sum up while
 * a process is killed, and holds what the log says was allowed against the cap.
 */
final class Race {
  private static final int CALLERS = 64;
  private static final int CAP = 3_000;
  private static final Pattern AGENT = Pattern.compile("\"agent_id\":\"([^\"]+)\"");
  private static final Pattern AMOUNT = Pattern.compile("\"amount\":(\\d+)");
  private static final Pattern CURSOR = Pattern.compile("\"next_cursor\":\"([^\"]+)\"");

  /** A kind of counter: its pack, the limits with %d for the cap, and a context with %d for the caller. */
  private record Kind(String policy, String capability, String limits, String context) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(
              "mcp.tool.execute.v1",
              "mcp.tool.execute",
              "'allowed_servers': ['*'], 'allowed_tools': ['*'], 'max_calls_per_minute': %d",
              "'server': 'https://tools.example.com', 'tool': 'find', 'parameters': {'n': %d}"),
          new Kind(
              "data.file.write.v1",
              "data.file.write",
              "'allowed_paths': ['/srv'], 'max_writes_per_hour': %d",
              "'file_path': '/srv/%d.txt'"),
          new Kind(
              "code.release.publish.v1",
              "repo.release",
              "'max_releases_per_day': %d",
              "'repository': 'acme/web', 'version': '1.0.%d', 'files': ['web.jar']"),
          new Kind(
              "finance.payment.refund.v1",
              "finance.payment.refund",
              "'refund_reason_codes': ['late'],"
                  + " 'currency_limits': {'USD': {'max_per_tx': 9, 'daily_cap': %d}}",
              refund(1)),
          new Kind(
              "agent.tool.register.v1",
              "agent.tool.register",
              "'max_tools_per_agent': %d",
              "'tool_name': 'tool-%d', 'tool_type': 'function',"
                  + " 'capabilities': ['agent.tool.register']"),
          new Kind(
              "agent.session.create.v1",
              "agent.session.create",
              "'max_session_duration': 3600, 'max_concurrent_sessions': %d",
              "'user_id': 'user-%d', 'session_type': 'batch'"));

  private final List<String> bases;
  private final String key;
  private final String admin;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Race(List<String> bases, String key, String admin) {
    this.bases = bases;
    this.key = key;
    this.admin = admin;
  }

  public static void main(String[] args) throws Exception {
    Race race = new Race(List.of(args[1].split(",")), args[2], args[3]);
    switch (args[0]) {
      case "race" -> race.race();
      case "spend" -> race.spend(Path.of(args[4]));
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(0);
  }

  private void race() throws Exception {
    for (Kind kind : KINDS) {
      for (int cap : new int[] {1, 7}) {
        String agent = issue(kind, cap);
        List<Boolean> allowed =
            atOnce(CALLERS, i -> allowed(bases.get(i % bases.size()), kind.policy(), agent, kind.context().formatted(i)));
        long sum = allowed.stream().filter(Boolean::booleanValue).count();
        if (sum != cap) {
          throw new IllegalStateException(kind + " allowed " + sum + " times, the cap is " + cap);
        }
      }
      System.out.printf("  %s: %d callers got what there is%n", kind.policy(), CALLERS);
    }
  }

  /** Spends until nothing is left; a process that dies takes its callers to the others. */
  private void spend(Path begun) throws Exception {
    Kind kind = KINDS.get(3);
    String agent = issue(kind, CAP);
    List<Long> answered = atOnce(16, caller -> spend(agent, caller, begun));
    long sum = answered.stream().mapToLong(Long::longValue).sum();
    long recorded = recorded(agent);
    System.out.printf("  cap %d: %d answered as allowed, %d recorded%n", CAP, sum, recorded);
    if (recorded != CAP || sum > CAP) {
      throw new IllegalStateException("the cap was not kept");
    }
  }

  private long spend(String agent, int caller, Path begun) throws Exception {
    Random random = new Random(caller);
    long sum = 0;
    int base = caller % bases.size();
    for (int i = 0, largest = 9; largest > 0; i++) {
      int amount = 1 + random.nextInt(largest);
      try {
        if (allowed(bases.get(base), KINDS.get(3).policy(), agent, refund(amount).formatted(1_000_000 * caller + i))) {
          sum += amount;
          Files.writeString(begun, "spending");
        } else {
          largest = amount - 1; // smaller and smaller, so that the last unit finds a taker
        }
      } catch (IOException e) {
        base = (base + 1) % bases.size(); // what was cut off was never answered
      }
    }
    return sum;
  }

  private static String refund(int amount) {
    return "'order_id': 'o', 'customer_id': 'c', 'amount': "
        + amount
        + ", 'currency': 'USD', 'region': 'US', 'reason_code': 'late',"
        + " 'idempotency_key': 'key-number-%d'";
  }

  private boolean allowed(String base, String policy, String agent, String context)
      throws IOException, InterruptedException {
    String body =
        post(
            base + "/api/verify/policy/" + policy,
            "X-API-Key",
            key,
            "{'context': {'agent_id': '" + agent + "', " + context + "}}");
    return body.contains("\"allow\":true");
  }

  private String issue(Kind kind, int cap) throws IOException, InterruptedException {
    String body =
        post(
            bases.get(0) + "/api/passports",
            "Authorization",
            "Bearer " + admin,
            "{'name': 'Racer', 'assurance_level': 'L3', 'regions': ['US'], 'capabilities': [{'id': '"
                + kind.capability()
                + "'}], 'limits': {'"
                + kind.capability()
                + "': {"
                + kind.limits().formatted(cap)
                + "}}}");
    return found(AGENT, body);
  }

  /** The sum of what the log says was allowed, read from the process that is left. */
  private long recorded(String agent) throws IOException, InterruptedException {
    for (String base : bases) {
      try {
        return recorded(base, agent);
      } catch (IOException e) {
        System.out.println("  " + base + " is gone");
      }
    }
    throw new IllegalStateException("no process is left");
  }

  private long recorded(String base, String agent) throws IOException, InterruptedException {
    long sum = 0;
    String path = "/api/audit?limit=200&kind=decision&allow=true&agent_id=" + agent;
    String cursor = "";
    while (true) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(base + path + cursor)).header("X-API-Key", key).build();
      HttpResponse<String> page = http.send(request, BodyHandlers.ofString());
      if (page.statusCode() != 200) {
        throw new IllegalStateException(page.statusCode() + ": " + page.body());
      }
      Matcher amount = AMOUNT.matcher(page.body());
      while (amount.find()) {
        sum += Long.parseLong(amount.group(1));
      }
      Matcher more = CURSOR.matcher(page.body());
      if (!more.find()) {
        return sum;
      }
      cursor = "&cursor=" + more.group(1);
    }
  }

  private String post(String address, String header, String credential, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address))
            .header(header, credential)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.replace('\'', '"')))
            .build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    if (response.statusCode() >= 500) {
      throw new IOException(response.statusCode() + ": " + response.body());
    }
    if (response.statusCode() >= 300) {
      throw new IllegalStateException(address + ": " + response.statusCode() + " " + response.body());
    }
    return response.body();
  }

  /** A call that may fail as HTTP does. */
  private interface Caller<T> {
    T call(int number) throws Exception;
  }

  private static <T> List<T> atOnce(int times, Caller<T> caller) throws Exception {
    var together = new CountDownLatch(1);
    var running = new ArrayList<Future<T>>();
    var results = new ArrayList<T>();
    IntFunction<Callable<T>> waiting =
        number ->
            () -> {
              together.await();
              return caller.call(number);
            };
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < times; i++) {
        running.add(pool.submit(waiting.apply(i)));
      }
      together.countDown();
      for (Future<T> one : running) {
        results.add(one.get());
      }
    }
    return results;
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + pattern + " in " + text);
    }
    return matcher.group(1);
  }
}
