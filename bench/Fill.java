import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Fills a running service with packs of its first organization, all active, with so many rules each, and
 * with passports, and writes lines for load.lua that ask for them, by a built-in pack where there are no
 * others: usage Fill URL ADMIN_TOKEN PACKS RULES PASSPORTS LINES.
 */
public final class Fill {
  private static final int AT_ONCE = 64;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;
  private final String adminToken;

  private Fill(String base, String adminToken) {
    this.base = base;
    this.adminToken = adminToken;
  }

  public static void main(String[] args) throws Exception {
    var fill = new Fill(args[0], args[1]);
    int packs = Integer.parseInt(args[2]);
    int rules = Integer.parseInt(args[3]);
    int passports = Integer.parseInt(args[4]);
    String orgs = fill.send("GET", "/api/orgs?limit=1", "");
    String org = orgs.replaceFirst("(?s).*\"org_id\":\"([^\"]+)\".*", "$1");
    String policies = "/api/orgs/" + org + "/policies";
    // One after the other: an organization's packs are activated in turn.
    fill.all(
        packs,
        1,
        i -> {
          String id = id(i);
          fill.send("POST", policies, pack(i, rules));
          return fill.send("POST", policies + "/" + id + "/activate", "{}");
        });
    fill.all(passports, AT_ONCE, i -> fill.send("POST", "/api/passports?org_id=" + org, passport(i)));
    try (var lines =
        new PrintWriter(Files.newBufferedWriter(Path.of(args[5]), StandardCharsets.UTF_8))) {
      for (int i = 0; i < passports; i++) {
        // Neighbours ask by different packs, so that a run of lines meets many of both.
        String policy = packs == 0 ? "system.command.execute.v1" : id(i % packs);
        lines.println("/api/verify/policy/" + policy + "\t" + question(i, packs == 0));
      }
    }
  }

  private static String id(int i) {
    return "acme.team" + i + ".send.v1";
  }

  private static String pack(int number, int rules) {
    String all =
        IntStream.range(0, rules)
            .mapToObj(
                i ->
                    """
                    {"name": "word_%d", "deny_code": "oap.limit_exceeded", "message": "Word %d is not sent.",
                     "condition": "!context.text.includes('secret word %d')"}\
                    """
                        .formatted(i, i, i))
            .collect(Collectors.joining(","));
    return """
    {"id": "%s", "name": "Messages of team %d", "version": "1.0.0",
     "requires_capabilities": ["acme.send"], "min_assurance": "L0", "limits": {},
     "required_context": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
     "evaluation_rules": [%s]}
    """
        .formatted(id(number), number, all);
  }

  private static String agent(int i) {
    return "ap_%032x".formatted(i + 1L);
  }

  private static String passport(int i) {
    return """
    {"agent_id": "%s", "name": "Agent %d", "description": "An agent of the load run.",
     "role": "agent", "regions": ["EU", "US"], "framework": ["custom"],
     "capabilities": [{"id": "system.command.execute"}, {"id": "acme.send"}],
     "limits": {"system.command.execute": {"allowed_commands": ["git", "npm", "mvn", "ls", "cat"],
       "blocked_patterns": ["--force", "rm -rf"], "max_execution_time": 600}}}
    """
        .formatted(agent(i), i);
  }

  private static String question(int i, boolean command) {
    String action =
        command
            ? "\"command\":\"git log --oneline --since=2.weeks --author=ada -n %d -- src/main src/test\","
                + "\"cwd\":\"/srv/projects/shop/checkout-service\",\"timeout\":120,\"shell\":\"bash\""
            : "\"text\":\"Build %d of checkout-service failed in its third step: the integration test for"
                + " refunds timed out after 300 seconds. The change that most likely broke it is 4be1d2f.\"";
    return "{\"context\":{\"agent_id\":\"" + agent(i) + "\"," + action.formatted(10 + i % 90) + "}}";
  }

  /** Runs the work for 0 to count - 1, some at once; the first failure ends it. */
  private void all(int count, int atOnce, IntFunction<String> work) throws Exception {
    var failure = new AtomicReference<Throwable>();
    var places = new Semaphore(atOnce);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count && failure.get() == null; i++) {
        int number = i;
        places.acquire();
        threads.submit(
            () -> {
              try {
                work.apply(number);
              } catch (Throwable e) {
                failure.compareAndSet(null, e);
              } finally {
                places.release();
              }
            });
      }
    }
    if (failure.get() != null) {
      throw new IllegalStateException(failure.get());
    }
  }

  private String send(String method, String path, String body) {
    var request =
        HttpRequest.newBuilder(URI.create(base + path))
            .header("Authorization", "Bearer " + adminToken)
            .header("Content-Type", "application/json")
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300) {
        throw new IllegalStateException(method + " " + path + ": " + answer.body());
      }
      return answer.body();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
