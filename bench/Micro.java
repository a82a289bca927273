import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.ThreadMXBean;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.RedactedContext;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.decision.CompiledPermissions;
import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.path.PathForms;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.decision.url.Url;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.policy.lint.PackLint;
import dev.safeconduct.policy.schema.StringFormats;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What evaluating, canonicalizing and redacting cost in process, so that a regression shows on a busy
 * machine too. Time is the CPU time of the thread, divided by that of a reference loop which runs just
 * before and after and uses the JDK only; each figure is the median of three processes, because the
 * compiler does not do the same in all of them. Bytes are what a call allocates before the optimizing
 * compiler leaves some out: exact, and the same in every run.
 *
 * <p>JMH measures elapsed time, one benchmark after the other; beside other work neither its figures nor
 * their ratios repeat.
 *
 * <p>Usage: Micro REPOSITORY check|update. Check compares with bench/baseline.json and exits with 1 if a
 * ratio has grown by more than {@link #TIME_TOLERANCE} or the bytes by more than {@link
 * #BYTES_TOLERANCE}.
 */
final class Micro {
  private static final double TIME_TOLERANCE = 0.15;
  private static final double BYTES_TOLERANCE = 0.02;
  private static final int PROCESSES = 3;
  private static final int ROUNDS = 21;
  private static final long WARM_UP_NANOS = 2_500_000_000L;
  private static final long SLICE_NANOS = 4_000_000L;
  private static final ThreadMXBean THREADS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final List<String> BESIDES =
      List.of("system.command.execute.v1", "web.fetch.v1", "messaging.message.send.v1", "purchase");

  private static long sink;

  private interface Operation {
    long run(int turn) throws Exception;
  }

  private final PolicyDecisionPoint decisionPoint =
      new PolicyDecisionPoint(
          Validators.all(),
          fault -> {
            throw new IllegalStateException(fault);
          });
  private final Redaction redaction = new Redaction(new byte[32]);
  private final Map<String, Operation> operations = new LinkedHashMap<>();

  public static void main(String[] args) throws Exception {
    Path repository = Path.of(args[0]);
    switch (args[1]) {
      case "time" -> new Micro(repository).time();
      case "bytes" -> new Micro(repository).bytes();
      default -> System.exit(compare(repository, args[1].equals("update")) ? 0 : 1);
    }
  }

  // What is measured.

  private Micro(Path repository) throws Exception {
    var reader =
        new PackReader(
            Validators.all().keySet(),
            new StringFormats(
                Map.of(
                    "http-url",
                    text -> Url.parse(text, Url.WEB).isPresent(),
                    "file-path",
                    PathForms::isClean)),
            PackLint::check);
    for (String id : BESIDES) {
      Path file =
          id.equals("purchase")
              ? repository.resolve("bench/peers/policy.json")
              : repository.resolve("policies").resolve(id).resolve("policy.json");
      PolicyPack pack = reader.read(Json.parseObject(Files.readAllBytes(file)));
      add(id.replaceAll("\\..*", ""), pack);
    }
  }

  private static byte[] question(String name, int i) {
    String text =
        switch (name) {
          case "system" ->
              """
              {"command":"git log --oneline --since=2.weeks --author=ada -n %d -- src/main/java src/test/java",
               "cwd":"/srv/projects/shop/checkout-service","timeout":120,"env":{"LANG":"C.UTF-8","CI":"true",
               "NO_COLOR":"1"},"shell":"bash","user":"builder","session_label":"nightly-%d",
               "note":"Looks for the change that broke the nightly build and reports it to the team."}\
              """;
          case "web" ->
              """
              {"url":"https://api.example.com/v2/projects/%d/issues?state=open&labels=bug&page=%d&per_page=50",
               "method":"POST","headers":{"accept":"application/json","content-type":"application/json",
               "user-agent":"bench-agent/1.4 (+https://example.com/agents)","x-correlation-id":"17-23-42"},
               "body":"{\\"title\\":\\"Flaky build on main\\",\\"text\\":\\"The nightly build failed twice.\\"}",
               "timeout":15000}\
              """;
          case "messaging" ->
              """
              {"channel_id":"C024BE91L","message_type":"text","message":"Build %d of checkout-service failed in step
               %d: the integration test for refunds timed out after 300 seconds. I have opened an issue.",
               "mentions":["ada","grace"],"thread_id":"1732176000.001"}\
              """;
          default ->
              """
              {"amount":%d,"currency":"EUR","category":"books","vendor":"shop-%d.example.org",
               "cost_center":"cc-4711","urgency":"normal","items":[{"sku":"978-3-16-148410-0","quantity":3,
               "price":1250},{"sku":"978-0-13-468599-1","quantity":1,"price":2990}],"note":"For the team."}\
              """;
        };
    return text.formatted(40 + i, 7 + i).replace("\n", "").getBytes(UTF_8);
  }

  private static final String PASSPORT =
      """
      {"agent_id":"ap_bench","passport_id":"ac578821-a55c-4236-b6be-7d9096b9fca1","status":"active",
       "assurance_level":"L1","regions":["EU","US"],"capabilities":[{"id":"system.command.execute"},
       {"id":"web.fetch"},{"id":"messaging.send"},{"id":"acme.purchase"}],
       "limits":{"system.command.execute":{"allowed_commands":["git","npm","mvn","ls","cat","grep"],
         "blocked_patterns":["--force","rm -rf"],"max_execution_time":600},
        "web.fetch":{"allowed_domains":["example.com","docs.example.org","*.example.net"],
         "allowed_methods":["GET","POST"],"blocked_domains":["internal.example.com"]},
        "messaging.send":{"msgs_per_min":1000000,"msgs_per_day":1000000,"max_recipients":5,
         "channels_allowlist":["C024BE91L","engineering"],"mention_policy":"limited"},
        "acme.purchase":{"max_amount":10000,"max_quantity":10,"currencies":["EUR","USD"],
         "categories":["books","paper","furniture","software"]}}}
      """;

  private void add(String name, PolicyPack pack) throws Exception {
    JudgedPassport passport = JudgedPassport.of(Json.parseObject(PASSPORT.getBytes(UTF_8)));
    var agent =
        new DecisionRequest.Agent(
            passport,
            pack,
            CompiledPermissions.of(passport.permissions(), pack),
            true,
            List.of("org_bench", "ap_bench", name));
    byte[][] questions = new byte[8][];
    JsonObject[] contexts = new JsonObject[8];
    for (int i = 0; i < 8; i++) {
      questions[i] = question(name, i);
      contexts[i] = Json.parseObject(questions[i]);
      if (!evaluate(pack, agent, contexts[i]).isAllow()) {
        throw new IllegalStateException(name + ": " + evaluate(pack, agent, contexts[i]).reason());
      }
    }
    operations.put("evaluate " + name, i -> evaluate(pack, agent, contexts[i & 7]).isAllow() ? 1 : 0);
    if (name.equals("purchase") || name.equals("messaging")) {
      return;
    }
    operations.put("parse " + name, i -> Json.parseObject(questions[i & 7]).size());
    operations.put("canonicalize " + name, i -> CanonicalJson.bytes(contexts[i & 7]).length);
    operations.put(
        "redact " + name, i -> redaction.of(contexts[i & 7], pack.contextSchema()).shown().size());
    operations.put("decide " + name, i -> decide(pack, agent, questions[i & 7]).length);
  }

  private Outcome evaluate(PolicyPack pack, DecisionRequest.Agent agent, JsonObject context) {
    return decisionPoint.decide(
        () ->
            new DecisionRequest(
                agent,
                DecisionRequest.Context.of(context),
                Usage.NONE,
                Feeds.NONE,
                Instant.EPOCH,
                false,
                false),
        new Budget());
  }

  /** A whole decision without HTTP, signature and store. */
  private byte[] decide(PolicyPack pack, DecisionRequest.Agent agent, byte[] question) throws Exception {
    JsonObject context = Json.parseObject(question);
    Outcome outcome = evaluate(pack, agent, context);
    byte[] canonical = CanonicalJson.bytes(context);
    RedactedContext redacted = redaction.of(context, pack.contextSchema());
    return DecisionJson.canonical(
        new Decision(
            new UUID(7, 7),
            new OrgId("org_bench"),
            new Decision.Agent("ap_bench", "ap_bench", "L1", pack.digest(), Decision.Source.REGISTRY),
            new Decision.Policy(pack.id().value(), pack.digest(), Decision.Source.REGISTRY),
            CanonicalJson.digest(canonical),
            new Decision.Result(
                outcome.isAllow(),
                new Decision.Reason(
                    outcome.reason().code(),
                    redacted.text(outcome.reason().message()),
                    Optional.empty())),
            new Decision.Validity(Instant.EPOCH, 30, false),
            "kid"));
  }

  /** Texts, maps, sorting and arithmetic of the JDK, as what is measured uses them. */
  private static long reference(int turn) {
    var counts = new TreeMap<String, Integer>();
    long hash = turn;
    for (String word : WORDS.split(" ")) {
      counts.merge(word.toLowerCase(Locale.ROOT), 1, Integer::sum);
      for (int i = 0; i < word.length(); i++) {
        hash = hash * 31 + word.charAt(i);
        hash ^= hash >>> 7;
      }
    }
    var text = new StringBuilder();
    counts.forEach((word, count) -> text.append(word).append(':').append(count.intValue()).append(','));
    return hash + Arrays.hashCode(text.toString().getBytes(UTF_8));
  }

  private static final String WORDS =
      "The nightly build failed twice in the same step see the attached log for the stack trace and the"
          + " Change that most Likely broke it the previous build is still deployed and nobody was paged";

  // How it is measured.

  private void time() throws Exception {
    long warm = THREADS.getCurrentThreadCpuTime() + WARM_UP_NANOS;
    for (int i = 0; THREADS.getCurrentThreadCpuTime() < warm; i++) {
      sink += reference(i);
      for (Operation operation : operations.values()) {
        sink += operation.run(i);
      }
    }
    Operation reference = Micro::reference;
    int references = calls(reference);
    Map<String, Integer> calls = new LinkedHashMap<>();
    Map<String, double[]> ratios = new LinkedHashMap<>();
    for (String name : operations.keySet()) {
      calls.put(name, calls(operations.get(name)));
      ratios.put(name, new double[ROUNDS]);
    }
    for (int round = 0; round < ROUNDS; round++) {
      double before = slice(reference, references);
      for (Map.Entry<String, Operation> operation : operations.entrySet()) {
        double own = slice(operation.getValue(), calls.get(operation.getKey()));
        double after = slice(reference, references);
        ratios.get(operation.getKey())[round] = own / ((before + after) / 2);
        before = after;
      }
    }
    ratios.forEach((name, values) -> System.out.println(name + "\t" + median(values)));
    System.err.println(sink);
  }

  private static int calls(Operation operation) throws Exception {
    return (int) Math.max(1, SLICE_NANOS / slice(operation, 200));
  }

  /** Nanoseconds of CPU a call. */
  private static double slice(Operation operation, int calls) throws Exception {
    long begin = THREADS.getCurrentThreadCpuTime();
    long sum = 0;
    for (int i = 0; i < calls; i++) {
      sum += operation.run(i);
    }
    sink += sum;
    return (THREADS.getCurrentThreadCpuTime() - begin) / (double) calls;
  }

  private void bytes() throws Exception {
    for (Map.Entry<String, Operation> operation : operations.entrySet()) {
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 5; round++) {
        long begin = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 2_000; i++) {
          sink += operation.getValue().run(i);
        }
        least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - begin);
      }
      System.out.println(operation.getKey() + "\t" + least / 2_000);
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  // The comparison.

  private static boolean compare(Path repository, boolean update) throws Exception {
    Map<String, List<Double>> ratios = new LinkedHashMap<>();
    Map<String, List<Double>> bytes = new LinkedHashMap<>();
    for (int i = 0; i < PROCESSES; i++) {
      // Compiled in the foreground: beside other work the compiler's thread would be late.
      fork(repository, "time", "-XX:-BackgroundCompilation", ratios);
    }
    // The first compiler leaves no object out.
    fork(repository, "bytes", "-XX:TieredStopAtLevel=1", bytes);
    Path file = repository.resolve("bench/baseline.json");
    JsonObject known = Files.exists(file) ? Json.parseObject(Files.readAllBytes(file)) : JsonObject.EMPTY;
    boolean sound = update || known.size() == ratios.size();
    var text = new ArrayList<String>();
    System.out.printf("%-24s %20s %28s %18s%n", "", "CPU of the reference", "(least to most)", "bytes");
    for (String name : ratios.keySet()) {
      double[] all = ratios.get(name).stream().mapToDouble(Double::doubleValue).sorted().toArray();
      double ratio = all[all.length / 2];
      double allocated = bytes.get(name).getFirst();
      text.add(String.format(Locale.ROOT, "  \"%s\": {\"ratio\": %.3f, \"bytes\": %.0f}", name, ratio, allocated));
      JsonObject before = known.object(name).orElse(JsonObject.EMPTY);
      String slower = worse(ratio, before, "ratio", TIME_TOLERANCE);
      String larger = worse(allocated, before, "bytes", BYTES_TOLERANCE);
      sound &= update || (!slower.endsWith("!") && !larger.endsWith("!"));
      System.out.printf(
          Locale.ROOT,
          "%-24s %8.3f %12s %14.3f to %8.3f %8.0f %12s%n",
          name, ratio, slower, all[0], all[all.length - 1], allocated, larger);
    }
    if (update) {
      Files.writeString(file, "{\n" + String.join(",\n", text) + "\n}\n");
    }
    System.out.println(
        update
            ? "wrote bench/baseline.json"
            : sound
                ? "no regression"
                : "REGRESSION, or a figure without a baseline: see the lines with !; if it is intended, run"
                    + " bench/check update");
    return sound;
  }

  /** The change in per cent; with an exclamation mark when it is beyond the tolerance. */
  private static String worse(double now, JsonObject before, String member, double tolerance) {
    double then = before.get(member) instanceof JsonNumber number ? number.value() : 0;
    return then == 0
        ? "new!"
        : String.format(Locale.ROOT, "%+.1f%%%s", 100 * (now / then - 1), now > then * (1 + tolerance) ? "!" : "");
  }

  private static void fork(Path repository, String what, String option, Map<String, List<Double>> results)
      throws Exception {
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-Xms96m",
                "-Xmn48m",
                option,
                "-cp",
                System.getProperty("java.class.path"),
                "Micro",
                repository.toString(),
                what)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    for (String line : new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList()) {
      String[] parts = line.split("\t");
      results.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add(Double.valueOf(parts[1]));
    }
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the process that measures " + what + " failed");
    }
  }
}
