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
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client of the crash test. It needs nothing but a JDK and knows nothing of the service but its
 * HTTP contract, so that it proves what an outsider can prove.
 *
 * <p>{@code load} asks from several clients until the server dies and writes down every decision
 * that was answered; some of what it takes it gives back. {@code check} looks each decision up again,
 * verifies its signature, and walks the whole log. {@code exhaust} uses the counted agent's cap up.
 */
final class Crash {
  private static final Pattern STAMP =
      Pattern.compile(",\"log_index\":(\\d+),\"signature\":\"ed25519:([^\"]+)\"}$");
  private static final String RELEASED = "released ";
  private static final Pattern ID = Pattern.compile("\"decision_id\":\"([^\"]+)\"");
  private static final Pattern KID = Pattern.compile("\"kid\":\"([^\"]+)\"");
  private static final Pattern INDEX = Pattern.compile("\"log_index\":(\\d+)");
  private static final Pattern CURSOR = Pattern.compile("\"next_cursor\":\"([^\"]+)\"");
  private static final Pattern JWK = Pattern.compile("\\{[^{}]*}");

  /** SubjectPublicKeyInfo of an Ed25519 key up to its 32 bytes (RFC 8410 section 4). */
  private static final byte[] SPKI = HexFormat.of().parseHex("302a300506032b6570032100");

  private final String base;
  private final String key;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Crash(String base, String key) {
    this.base = base;
    this.key = key;
  }

  public static void main(String[] args) throws Exception {
    Crash crash = new Crash(args[1], args[2]);
    switch (args[0]) {
      case "load" -> crash.load(args[3], args[4], Integer.parseInt(args[5]), Path.of(args[6]));
      case "check" -> crash.check(Path.of(args[3]));
      case "exhaust" -> crash.exhaust(args[3], Long.parseLong(args[4]), Path.of(args[5]));
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(0);
  }

  /** Half of the clients spend the counted agent's cap, half ask what nobody counts. */
  private void load(String counted, String uncounted, int clients, Path answered) throws Exception {
    Path begun = answered.resolveSibling(answered.getFileName() + ".begun");
    var lines = new ArrayList<Future<List<String>>>();
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < clients; i++) {
        boolean message = i % 2 == 0;
        lines.add(pool.submit(() -> untilItDies(message ? counted : uncounted, message, begun)));
      }
    }
    try (var out = new PrintWriter(Files.newBufferedWriter(answered, UTF_8))) {
      for (Future<List<String>> one : lines) {
        one.get().forEach(out::println);
      }
    }
  }

  private List<String> untilItDies(String agent, boolean message, Path begun)
      throws InterruptedException {
    var answered = new ArrayList<String>();
    try {
      for (int i = 0; ; i++) {
        String decision = decide(agent, message, i);
        answered.add(decision);
        if (message && i % 3 == 0 && decision.contains("\"allow\":true")) {
          answered.add(RELEASED + release(decision));
        }
        if (i == 0) {
          Files.writeString(begun, "answers come");
        }
      }
    } catch (IOException e) {
      return answered; // what was cut off was never answered
    }
  }

  private String decide(String agent, boolean message, int i)
      throws IOException, InterruptedException {
    String policy = message ? "messaging.message.send.v1" : "web.fetch.v1";
    String context =
        message
            ? "\"channel_id\":\"engineering\",\"message_type\":\"text\",\"message\":\"Number " + i + "\""
            : "\"url\":\"https://example.com/" + i + "\"";
    HttpResponse<String> response =
        http.send(
            request("/api/verify/policy/" + policy + (message && i % 3 == 0 ? "?reserve=true" : ""))
                .header("Content-Type", "application/json")
                .header("Prefer", "return=minimal")
                .POST(
                    BodyPublishers.ofString(
                        "{\"context\":{\"agent_id\":\"" + agent + "\"," + context + "}}"))
                .build(),
            BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode() + ": " + response.body());
    }
    return response.body();
  }

  /** Gives back what the decision took; the reservation is named after it. */
  private String release(String decision) throws IOException, InterruptedException {
    String id = "rsv_" + found(ID, decision).replace("-", "");
    HttpResponse<String> response =
        http.send(
            request("/api/usage/" + id + "/release").POST(BodyPublishers.noBody()).build(),
            BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode() + ": " + response.body());
    }
    return id;
  }

  /**
   * Every answered decision is there byte for byte and signed; the log has no gap; what was given
   * back stays so.
   */
  private void check(Path answered) throws Exception {
    List<String> lines = Files.readAllLines(answered);
    List<String> decisions = lines.stream().filter(line -> !line.startsWith(RELEASED)).toList();
    List<String> released = lines.stream().filter(line -> line.startsWith(RELEASED)).toList();
    Map<String, PublicKey> keys = keys();
    var checks = new ArrayList<Future<?>>();
    try (var pool = Executors.newFixedThreadPool(8)) {
      for (String decision : decisions) {
        checks.add(pool.submit(() -> checkOne(decision, keys)));
      }
    }
    for (Future<?> one : checks) {
      one.get();
    }
    for (String line : released.subList(Math.max(0, released.size() - 50), released.size())) {
      String id = line.substring(RELEASED.length());
      HttpRequest again = request("/api/usage/" + id + "/commit").POST(BodyPublishers.noBody()).build();
      if (http.send(again, BodyHandlers.ofString()).statusCode() != 409) {
        throw new IllegalStateException(id + " was released, and can be committed");
      }
    }
    System.out.printf(
        "  %d answered decisions are recorded and signed, %d given back; %d records without a gap%n",
        decisions.size(), released.size(), walkLog("/api/audit?limit=200", true));
  }

  private Void checkOne(String decision, Map<String, PublicKey> keys) throws Exception {
    String id = found(ID, decision);
    String stored = get("/api/decisions/" + id);
    if (!stored.contains("\"decision\":" + decision)) {
      throw new IllegalStateException("answered:\n" + decision + "\nstored:\n" + stored);
    }
    Matcher stamp = STAMP.matcher(decision);
    if (!stamp.find()) {
      throw new IllegalStateException("without signature: " + decision);
    }
    Signature verifier = Signature.getInstance("Ed25519");
    verifier.initVerify(keys.get(found(KID, decision)));
    verifier.update((decision.substring(0, stamp.start()) + "}").getBytes(UTF_8));
    if (!verifier.verify(Base64.getDecoder().decode(stamp.group(2)))) {
      throw new IllegalStateException("wrong signature: " + decision);
    }
    return null;
  }

  /** Uses up what is left of the cap: all allows recorded together must be the cap exactly. */
  private void exhaust(String agent, long cap, Path answered) throws Exception {
    long before = 0;
    try (var lines = Files.lines(answered)) {
      before = lines.filter(line -> line.contains("\"allow\":true")).filter(l -> l.contains(agent)).count();
    }
    var spent = new ArrayList<Future<Long>>();
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        spent.add(pool.submit(() -> spend(agent)));
      }
    }
    long after = 0;
    for (Future<Long> one : spent) {
      after += one.get();
    }
    String of = "/api/audit?limit=200&agent_id=" + agent + "&kind=";
    long allowed = walkLog(of + "decision&allow=true", false);
    long released = walkLog(of + "reservation_released", false);
    System.out.printf(
        "  cap %d: %d allows answered before the last crash, %d after it; recorded %d, of which %d given back%n",
        cap, before, after, allowed, released);
    if (before + after > allowed || allowed - released != cap) {
      throw new IllegalStateException("the cap was not kept");
    }
  }

  private long spend(String agent) throws IOException, InterruptedException {
    for (long allowed = 0; ; allowed++) {
      if (decide(agent, true, 1).contains("\"allow\":false")) {
        return allowed;
      }
    }
  }

  /** Counts the records from the newest to the oldest; without gaps down to 0 if so demanded. */
  private long walkLog(String path, boolean gapless) throws Exception {
    long records = 0;
    long next = -1;
    String cursor = "";
    while (true) {
      String page = get(path + cursor);
      Matcher index = INDEX.matcher(page);
      while (index.find()) {
        long at = Long.parseLong(index.group(1));
        if (gapless && next >= 0 && at != next) {
          throw new IllegalStateException("record " + next + " is missing before " + (at + 1));
        }
        next = at - 1;
        records++;
      }
      Matcher more = CURSOR.matcher(page);
      if (!more.find()) {
        if (gapless && next != -1) {
          throw new IllegalStateException("the log begins at " + (next + 1));
        }
        return records;
      }
      cursor = "&cursor=" + more.group(1);
    }
  }

  private Map<String, PublicKey> keys() throws Exception {
    var keys = new HashMap<String, PublicKey>();
    Matcher jwk = JWK.matcher(get("/jwks.json"));
    while (jwk.find()) {
      byte[] x = Base64.getUrlDecoder().decode(found(Pattern.compile("\"x\":\"([^\"]+)\""), jwk.group()));
      keys.put(found(KID, jwk.group()), publicKey(x));
    }
    return keys;
  }

  private static PublicKey publicKey(byte[] x) throws GeneralSecurityException {
    byte[] encoded = new byte[SPKI.length + x.length];
    System.arraycopy(SPKI, 0, encoded, 0, SPKI.length);
    System.arraycopy(x, 0, encoded, SPKI.length, x.length);
    return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
  }

  private String get(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = http.send(request(path).build(), BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IllegalStateException(path + ": " + response.statusCode() + " " + response.body());
    }
    return response.body();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).header("X-API-Key", key);
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + pattern + " in " + text);
    }
    return matcher.group(1);
  }
}
