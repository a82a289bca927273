import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Suspends on one node and listens on the other; takes tokens on one and has the other check them.
 * Arguments: both addresses, the key, the agent, how many rounds, the bound in ms, the admin token.
 */
final class Revocations {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static String key = "";
  private static String admin = "";

  public static void main(String[] args) throws Exception {
    String one = args[0];
    String two = args[1];
    key = args[2];
    String agent = args[3];
    int rounds = Integer.parseInt(args[4]);
    double bound = Double.parseDouble(args[5]);
    admin = args[6];
    var heard = new LinkedBlockingQueue<String>();
    listen(two, heard);
    double[] told = new double[rounds];
    double[] refused = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      String token = token(one, agent);
      expect(verdict(two, token), "valid");
      status(one, agent, "suspended");
      long answered = System.nanoTime();
      while (!verdict(two, token).equals("passport_not_active")) {
        refused[i] = ms(answered);
      }
      await(heard, agent, "suspended");
      told[i] = Math.max(0, ms(answered));
      status(one, agent, "active");
      await(heard, agent, "active");
    }
    boolean good = shown("revocation feed of the other node", told, bound);
    good &= shown("validation on the other node, last time it said valid", refused, bound);
    int keyRounds = Math.max(5, rounds / 5);
    double[] dropped = new double[keyRounds];
    double[] signed = new double[keyRounds];
    for (int i = 0; i < keyRounds; i++) {
      String token = token(one, agent);
      String head = new String(java.util.Base64.getUrlDecoder().decode(token.split("\\.", -1)[0]));
      String kid = member(head, "kid");
      send(one, "/api/admin/signing-keys/" + kid + "/revoke", "{\"reason\":\"A drill.\"}", true);
      long answered = System.nanoTime();
      while (verdict(two, token).equals("valid")) {
        dropped[i] = ms(answered);
      }
      String rotated =
          send(one, "/api/admin/signing-keys/rotate", "{\"purpose\":\"decision\"}", true);
      answered = System.nanoTime();
      while (!decided(two, agent).equals(member(rotated, "kid"))) {
        signed[i] = ms(answered);
      }
    }
    good &= shown("token of a revoked key, last time it was valid", dropped, bound);
    good &= shown("decision by the old key after a rotation, last one", signed, bound);
    System.exit(good ? 0 : 1);
  }

  private static double ms(long since) {
    return (System.nanoTime() - since) / 1e6;
  }

  private static boolean shown(String what, double[] times, double bound) {
    double[] sorted = times.clone();
    Arrays.sort(sorted);
    System.out.printf(
        "%s: p50 %.1f ms, p99 %.1f ms, most %.1f ms of %.0f%n",
        what,
        sorted[sorted.length / 2],
        sorted[sorted.length * 99 / 100],
        sorted[sorted.length - 1],
        bound);
    return sorted[sorted.length - 1] <= bound;
  }

  private static void listen(String node, LinkedBlockingQueue<String> heard) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node + "/api/revocations"))
            .header("X-API-Key", key)
            .header("Accept", "text/event-stream")
            .build();
    var lines =
        new BufferedReader(
            new InputStreamReader(HTTP.send(request, BodyHandlers.ofInputStream()).body()));
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  if (line.startsWith("data: ")) {
                    heard.add(line);
                  }
                }
              } catch (Exception e) {
                heard.add("the stream broke: " + e);
              }
            });
  }

  private static void await(LinkedBlockingQueue<String> heard, String agent, String status)
      throws InterruptedException {
    while (true) {
      String event = heard.poll(10, TimeUnit.SECONDS);
      if (event == null) {
        throw new AssertionError("nothing was told of " + status);
      }
      if (event.contains(agent) && event.contains("\"status\":\"" + status + "\"")) {
        return;
      }
    }
  }

  private static String token(String node, String agent) throws Exception {
    return member(
        send(node, "/api/verify/token/system.command.execute.v1", question(agent), false), "token");
  }

  private static String decided(String node, String agent) throws Exception {
    return member(
        send(node, "/api/verify/policy/system.command.execute.v1", question(agent), false), "kid");
  }

  private static String question(String agent) {
    return "{\"context\":{\"agent_id\":\"" + agent + "\",\"command\":\"git status\"}}";
  }

  private static String verdict(String node, String token) throws Exception {
    return member(
        send(node, "/api/verify/token/validate", "{\"token\":\"" + token + "\"}", false), "reason");
  }

  private static void status(String node, String agent, String status) throws Exception {
    String body = "{\"agent_id\":\"" + agent + "\",\"status\":\"" + status + "\"}";
    send(node, "/api/admin/status", body, true);
  }

  private static void expect(String said, String wanted) {
    if (!said.equals(wanted)) {
      throw new AssertionError(said + ", not " + wanted);
    }
  }

  private static String send(String node, String path, String body, boolean asAdmin)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(node + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    if (asAdmin) {
      request.header("Authorization", "Bearer " + admin);
    } else {
      request.header("X-API-Key", key);
    }
    HttpResponse<String> answer = HTTP.send(request.build(), BodyHandlers.ofString());
    if (answer.statusCode() / 100 != 2) {
      throw new AssertionError(path + ": " + answer.statusCode() + " " + answer.body());
    }
    return answer.body();
  }

  private static String member(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    if (!found.find()) {
      throw new AssertionError("no " + name + " in " + json);
    }
    return found.group(1);
  }
}
