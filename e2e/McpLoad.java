import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What the gateway adds to a call over HTTP: calls of the server, calls through the gateway and
 * decisions alone, one after the other in turn; then many sessions at once.
 *
 * <p>Arguments: the server's URL, the gateway's, the service's, its key, the passport, how many
 * calls, how many sessions, the most that p50 may grow (in microseconds), the gateway's process.
 */
final class McpLoad {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final String CALL =
      """
      {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"test_simple_text",\
      "arguments":{"note":"call %d"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",\
      "io.modelcontextprotocol/clientCapabilities":{}}}}""";
  private static final String QUESTION =
      """
      {"agent_id":"%s","context":{"server":"%s","tool":"test_simple_text","session_id":"load",\
      "parameters":{"note":"call %d"}}}""";

  private final String server;
  private final String gateway;
  private final String service;
  private final String key;
  private final String agent;

  private McpLoad(String[] arguments) {
    server = arguments[0];
    gateway = arguments[1];
    service = arguments[2];
    key = arguments[3];
    agent = arguments[4];
  }

  public static void main(String[] arguments) throws Exception {
    var load = new McpLoad(arguments);
    int calls = Integer.parseInt(arguments[5]);
    load.inTurn(Math.min(calls, 1000));
    ProcessHandle process = ProcessHandle.of(Long.parseLong(arguments[8])).orElseThrow();
    Duration before = process.info().totalCpuDuration().orElse(Duration.ZERO);
    long[] added = load.inTurn(calls);
    Duration used = process.info().totalCpuDuration().orElse(Duration.ZERO).minus(before);
    System.out.printf("processor time of the gateway: %d us a call%n", used.toNanos() / 1000 / calls);
    load.atOnce(Integer.parseInt(arguments[6]), Math.max(1, calls / 50));
    long limit = Long.parseLong(arguments[7]);
    System.out.printf(
        "added to the p50 of a call beyond the decision: %d us (at most %d)%n", added[0], limit);
    System.exit(added[0] > limit ? 1 : 0);
  }

  private long[] inTurn(int calls) throws Exception {
    long[][] nanos = new long[3][calls];
    for (int i = 0; i < calls; i++) {
      nanos[0][i] = timed(call(server, i));
      nanos[1][i] = timed(call(gateway, i));
      nanos[2][i] = timed(question(i));
    }
    String[] names = {"the server alone", "through the gateway", "the decision alone"};
    for (int i = 0; i < 3; i++) {
      Arrays.sort(nanos[i]);
      System.out.printf(
          "%-20s %6d calls  p50 %5d us  p95 %5d us  p99 %5d us%n",
          names[i], calls, at(nanos[i], 50), at(nanos[i], 95), at(nanos[i], 99));
    }
    return new long[] {at(nanos[1], 50) - at(nanos[0], 50) - at(nanos[2], 50)};
  }

  private static long at(long[] sorted, int percent) {
    return sorted[(sorted.length - 1) * percent / 100] / 1000;
  }

  private HttpRequest call(String url, int number) {
    return HttpRequest.newBuilder(URI.create(url))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "test_simple_text")
        .POST(BodyPublishers.ofString(CALL.formatted(number, number)))
        .build();
  }

  private HttpRequest question(int number) {
    return HttpRequest.newBuilder(
            URI.create(service + "/api/verify/policy/mcp.tool.execute.v1"))
        .header("Content-Type", "application/json")
        .header("X-API-Key", key)
        .POST(BodyPublishers.ofString(QUESTION.formatted(agent, server, number)))
        .build();
  }

  private static long timed(HttpRequest request) throws IOException, InterruptedException {
    long start = System.nanoTime();
    HttpResponse<String> answer = CLIENT.send(request, BodyHandlers.ofString());
    long nanos = System.nanoTime() - start;
    check(answer);
    return nanos;
  }

  private static void check(HttpResponse<String> answer) {
    if (answer.statusCode() != 200
        || (!answer.body().contains("simple text") && !answer.body().contains("\"allow\":true"))) {
      throw new IllegalStateException(answer.statusCode() + ": " + answer.body());
    }
  }

  private void atOnce(int sessions, int calls) throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> running = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < sessions; i++) {
        running.add(threads.submit(() -> session(calls)));
      }
      int answered = 0;
      for (Future<Integer> each : running) {
        answered += each.get();
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.printf(
          "%d sessions at once: %d calls in %.1f s, %.0f calls/s%n",
          sessions, answered, seconds, answered / seconds);
    }
  }

  private int session(int calls) throws Exception {
    String start =
        """
        {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
        "capabilities":{},"clientInfo":{"name":"load","version":"1"}}}""";
    HttpResponse<String> first = CLIENT.send(inSession("", start), BodyHandlers.ofString());
    String id = first.headers().firstValue("Mcp-Session-Id").orElseThrow();
    for (int i = 1; i <= calls; i++) {
      String call =
          """
          {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"test_simple_text",\
          "arguments":{"note":"call %d"}}}"""
              .formatted(i, i);
      check(CLIENT.send(inSession(id, call), BodyHandlers.ofString()));
    }
    return calls;
  }

  private HttpRequest inSession(String id, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(gateway))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(BodyPublishers.ofString(body));
    if (!id.isEmpty()) {
      request.header("Mcp-Session-Id", id);
    }
    return request.build();
  }
}
