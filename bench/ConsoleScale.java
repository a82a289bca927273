import dev.safeconduct.audit.stats.DecisionCounts;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.audit.stats.CountDecisions;
import dev.safeconduct.ledger.ReadSet;
import dev.safeconduct.ledger.LedgerEntry;
import dev.safeconduct.signing.Vault;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What console-scale.sh does with a store: fills it with decisions of many agents, counts them, and
 * measures what it costs to find an agent's.
 */
final class ConsoleScale {
  private static final int CALLERS = 128;
  private static final String[] POLICIES = {
    "system.command.execute.v1", "web.fetch.v1", "data.file.read.v1"
  };

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "fill" -> fill(args);
      case "count" -> count(args[1]);
      case "cost" -> cost(args);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static Storage open(String folder) {
    return Storage.open(StoreConfig.sqlite(Path.of(folder)));
  }

  private static Signer signer(String folder, Storage store) throws Exception {
    var random = new SecureRandom();
    return KeyRing.open(
            new Vault(store),
            PrivateKeys.inMemory(
                MasterKey.fromFile(Path.of(folder).resolve("master.key"), random),
                Ed25519.fastest()),
            Instant.now(),
            random)
        .signer(Purpose.DECISION);
  }

  /** fill FOLDER ORG DECISIONS AGENTS. */
  private static void fill(String[] args) throws Exception {
    try (Storage store = open(args[1])) {
      long count = Long.parseLong(args[3]);
      double seconds = write(store, signer(args[1], store), args[2], count, args[4]);
      System.out.printf("filled: %d decisions in %.0f s%n", count, seconds);
    }
  }

  /** count FOLDER: adds up and parts the log. */
  private static void count(String folder) {
    try (Storage store = open(folder)) {
      long start = System.nanoTime();
      var counting = new CountDecisions(new DecisionCounts(store), InstantSource.system());
      while (!counting.step()) {
        // The log is longer than a step.
      }
      System.out.printf("counted in %.1f s%n", (System.nanoTime() - start) / 1e9);
    }
  }

  /** The busiest agents ask most; agents 0 to 9 never ask but at the log's beginning. */
  private static int agent(Random random, int agents, long number) {
    return number < 30
        ? (int) (number % 10)
        : 10 + (int) ((agents - 10) * Math.pow(random.nextDouble(), 2));
  }

  private static double write(Storage store, Signer signer, String org, long count, String agents)
      throws Exception {
    var ids = new RecordIds(InstantSource.system(), new SecureRandom()::nextLong);
    var next = new AtomicLong();
    var owner = new OrgId(org);
    int most = Integer.parseInt(agents);
    long start = System.nanoTime();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CALLERS; i++) {
        var random = new Random(i);
        callers.submit(
            () -> {
              for (long n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                new Ledger(store).commit(entry(signer, owner, ids.next(), n, agent(random, most, n)));
              }
            });
      }
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private static LedgerEntry entry(Signer signer, OrgId org, UUID id, long number, int agent) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    String digest = "sha256:" + "3f2c9a1b7e5d4c60".repeat(4);
    String agentId = "ap_%032x".formatted(agent + 1L);
    String policy = POLICIES[(int) (number % POLICIES.length)];
    boolean allow = number % 20 != 7;
    String code =
        allow
            ? "oap.allowed"
            : number % 100_000 == 7 ? "oap.pii_blocked" : "oap.command_not_allowed";
    JsonObject reason =
        JsonObject.builder()
            .put("code", code)
            .put("message", allow ? "Every check of the policy passed." : "It may not do that.")
            .put("severity", allow ? "info" : "error")
            .build();
    JsonObject decision =
        JsonObject.builder()
            .put("agent_id", agentId)
            .put("allow", allow)
            .put("assurance_level", "L1")
            .put("context_digest", digest)
            .put("created_at", IsoInstant.seconds(now))
            .put("decision_id", id.toString())
            .put("kid", signer.kid())
            .put("passport_digest", digest)
            .put("policy_digest", digest)
            .put("policy_id", policy)
            .put("reasons", JsonArray.of(reason))
            .build();
    JsonObject details =
        JsonObject.builder()
            .put("address", "127.0.0.1")
            .put("caller", "key:key_019aa5b0c7e07a1b8c2d3e4f5a6b7c8d")
            .put(
                "context",
                JsonObject.builder()
                    .put("command", "git log --oneline --since=2.weeks -n " + number % 90)
                    .put("cwd", "/srv/projects/shop/checkout-service")
                    .build())
            .put("request_id", "req_2a69e97f3e0acd1cf766079e35a3f07c")
            .build();
    byte[] body = CanonicalJson.bytes(decision);
    return new LedgerEntry(
        new AuditRecord(
            id,
            RecordKind.DECISION,
            org,
            now,
            Optional.of(new AgentId(agentId)),
            Optional.of(policy),
            Optional.of(allow),
            Optional.of(code),
            body,
            signer.sign(body),
            CanonicalJson.bytes(details)),
        List.of(),
        List.of(),
        new ReadSet(Long.MAX_VALUE, List.of()),
        Optional.empty(),
        List.of());
  }

  /** cost FOLDER ORG DECISIONS AGENTS: CPU a decision in the store, by what finds an agent's. */
  private static void cost(String[] args) throws Exception {
    long count = Long.parseLong(args[3]);
    count(args[1]);
    for (int round = 0; round < 3; round++) {
      for (String how : List.of("nothing", "parts", "index")) {
        if (how.equals("index")) {
          sql(args[1], "CREATE INDEX audit_agent ON audit (org, agent, log_index)");
        }
        try (Storage store = open(args[1])) {
          Signer signer = signer(args[1], store);
          write(store, signer, args[2], count / 10, args[4]);
          if (how.equals("parts")) {
            var counting = new CountDecisions(new DecisionCounts(store), InstantSource.system());
            while (!counting.step()) {
              // What the runs before have left.
            }
          }
          long cpu = cpu();
          double seconds;
          if (how.equals("parts")) {
            var counting = new CountDecisions(new DecisionCounts(store), InstantSource.system());
            counting.start();
            seconds = write(store, signer, args[2], count, args[4]);
            counting.close();
            while (!counting.step()) {
              // To the end, so that all of the work is in the figure.
            }
          } else {
            seconds = write(store, signer, args[2], count, args[4]);
          }
          System.out.printf(
              "%s: %.1f us CPU a decision, %.0f/s%n",
              how,
              (cpu() - cpu) / 1e3 / count,
              count / seconds);
        }
        if (how.equals("index")) {
          sql(args[1], "DROP INDEX audit_agent");
        }
      }
    }
  }

  private static void sql(String folder, String sql) throws Exception {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder + "/safeconduct.db");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
