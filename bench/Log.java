import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.InclusionProof;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.audit.CountDecisions;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.LedgerEntry;
import dev.safeconduct.ledger.ReadSet;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.RevokedKeys;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.Vault;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A long log on SQLite: fill FOLDER ORG DECISIONS AGENTS [SECONDS] writes signed decisions of many agents
 * as the service does, as many as it can in the time, and count FOLDER adds them up; evidence FOLDER ORG
 * AGENT DECISIONS DISTINCT writes what one agent did, with so many different contexts; proofs FOLDER
 * times inclusion proofs.
 */
final class Log {
  private static final int CALLERS = 128;
  private static final int PROOFS = 20_000;
  private static final String[] POLICIES = {
    "system.command.execute.v1", "web.fetch.v1", "data.file.read.v1"
  };
  private static final String[] USED = {
    "system.command.execute.v1",
    "web.fetch.v1",
    "data.file.read.v1",
    "messaging.message.send.v1",
    "mcp.tool.execute.v1"
  };
  private static final String[] COMMANDS = {
    "git log --oneline", "git diff --stat", "npm run build", "mvn -q verify", "ls -l src", "cat README.md"
  };

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "fill" -> fill(args);
      case "count" -> count(args[1]);
      case "evidence" -> evidence(args);
      case "proofs" -> proofs(args[1]);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static Storage open(String folder) {
    return Storage.open(StoreConfig.sqlite(Path.of(folder)));
  }

  private static KeyRing keys(String folder, Storage store) throws Exception {
    var random = new SecureRandom();
    return KeyRing.open(
        new Vault(store),
        PrivateKeys.inMemory(
            MasterKey.fromFile(Path.of(folder).resolve("master.key"), random), Ed25519.fastest()),
        new RevokedKeys(Optional.empty(), () -> 0),
        Instant.now(),
        random);
  }

  private static void fill(String[] args) throws Exception {
    try (Storage store = open(args[1])) {
      Signer signer = keys(args[1], store).signer(Purpose.DECISION);
      long end = System.nanoTime() + (args.length < 6 ? 86_400 : Long.parseLong(args[5])) * 1_000_000_000L;
      long before = new MerkleLog(store).size();
      var org = new OrgId(args[2]);
      int agents = Integer.parseInt(args[4]);
      double seconds =
          write(
              store,
              Long.parseLong(args[3]),
              end,
              (random, id, number) -> entry(signer, org, id, number, agent(random, agents, number)));
      long count = new MerkleLog(store).size() - before;
      System.out.printf("filled: %d decisions in %.0f s (%.0f/s)%n", count, seconds, count / seconds);
    }
  }

  private static void evidence(String[] args) throws Exception {
    try (Storage store = open(args[1])) {
      Signer signer = keys(args[1], store).signer(Purpose.DECISION);
      long count = Long.parseLong(args[4]);
      long distinct = Long.parseLong(args[5]);
      Instant begin = Instant.now().minus(29, ChronoUnit.DAYS);
      long step = TimeUnit.DAYS.toMillis(29) / count;
      double seconds =
          write(
              store,
              count,
              Long.MAX_VALUE,
              (random, id, number) -> {
                long context = Math.floorMod(number * 7_919, distinct);
                String policy = USED[(int) (context % USED.length)];
                return entry(
                    signer,
                    new OrgId(args[2]),
                    id,
                    args[3],
                    policy,
                    begin.plusMillis(number * step),
                    action(policy, context),
                    number % 50 == 7 ? "oap.command_not_allowed" : "oap.allowed");
              });
      System.out.printf("filled: %s decisions in %.0f s%n", args[4], seconds);
    }
  }

  /** What an agent that works on a repository and writes messages asks for. */
  private static JsonObject action(String policy, long i) {
    JsonObject.Builder action = JsonObject.builder();
    switch (policy) {
      case "system.command.execute.v1" ->
          action
              .put("command", COMMANDS[(int) (i / 5 % COMMANDS.length)] + " -n " + i)
              .put("cwd", "/srv/projects/shop/checkout-service")
              .put("timeout", (double) (30 + i % 270));
      case "web.fetch.v1" ->
          action
              .put("url", "https://docs" + i / 5 % 40 + ".example.com/guide/page-" + i)
              .put("method", i % 3 == 0 ? "POST" : "GET");
      case "data.file.read.v1" ->
          action
              .put("file_path", "/srv/projects/shop/src/module" + i / 5 % 200 + "/File" + i + ".java")
              .put("file_size_mb", (double) (1 + i % 40));
      case "messaging.message.send.v1" ->
          action
              .put("channel_id", "C" + i / 5 % 30)
              .put("message", "Build " + i + " of the checkout service is green again.")
              .put("message_type", "text");
      default ->
          action
              .put("server", "https://mcp" + i / 5 % 5 + ".example.com")
              .put("tool", "tool_" + i / 5 % 25)
              .put("parameters", JsonObject.builder().put("number", (double) i).build());
    }
    return action.build();
  }

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

  /** Writes the record of a number. */
  private interface Entries {
    LedgerEntry of(Random random, UUID id, long number);
  }

  private static double write(Storage store, long count, long end, Entries entries) {
    var ids = new RecordIds(InstantSource.system(), new SecureRandom()::nextLong);
    var next = new AtomicLong();
    long start = System.nanoTime();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CALLERS; i++) {
        var random = new Random(i);
        callers.submit(
            () -> {
              for (long n = next.getAndIncrement();
                  n < count && System.nanoTime() < end;
                  n = next.getAndIncrement()) {
                new Ledger(store).commit(entries.of(random, ids.next(), n));
              }
            });
      }
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private static LedgerEntry entry(Signer signer, OrgId org, UUID id, long number, int agent) {
    return entry(
        signer,
        org,
        id,
        "ap_%032x".formatted(agent + 1L),
        POLICIES[(int) (number % POLICIES.length)],
        Instant.now(),
        JsonObject.builder()
            .put("command", "git log --oneline --since=2.weeks -n " + number % 90)
            .put("cwd", "/srv/projects/shop/checkout-service")
            .build(),
        number % 20 != 7
            ? "oap.allowed"
            : number % 100_000 == 7 ? "oap.pii_blocked" : "oap.command_not_allowed");
  }

  private static LedgerEntry entry(
      Signer signer,
      OrgId org,
      UUID id,
      String agentId,
      String policy,
      Instant at,
      JsonObject context,
      String code) {
    Instant now = at.truncatedTo(ChronoUnit.MILLIS);
    String digest = "sha256:" + "3f2c9a1b7e5d4c60".repeat(4);
    boolean allow = code.equals("oap.allowed");
    String message = allow ? "Every check of the policy passed." : "It may not do that.";
    var decision =
        new Decision(
            id,
            org,
            new Decision.Agent(agentId, agentId, "L1", digest, Decision.Source.REGISTRY),
            new Decision.Policy(policy, digest, Decision.Source.REGISTRY),
            CanonicalJson.digest(context),
            new Decision.Result(allow, new Decision.Reason(code, message, Optional.empty())),
            new Decision.Validity(now, allow ? 30 : 0, false),
            signer.kid());
    JsonObject details =
        JsonObject.builder()
            .put("address", "127.0.0.1")
            .put("caller", "key:key_019aa5b0c7e07a1b8c2d3e4f5a6b7c8d")
            .put("context", context)
            .put("request_id", "req_2a69e97f3e0acd1cf766079e35a3f07c")
            .build();
    byte[] body = DecisionJson.canonical(decision);
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

  private static void proofs(String folder) throws Exception {
    try (Storage store = open(folder)) {
      List<Signer> log = keys(folder, store).logSigners();
      String origin = new String(new Vault(store).find("log_origin").orElseThrow(), UTF_8);
      proofs(store, new Checkpoints(new MerkleLog(store), origin, () -> log, InstantSource.system()));
    }
  }

  private static void proofs(Storage store, Checkpoints checkpoints) {
    long size = new MerkleLog(store).size();
    var random = new Random(7);
    long[] nanos = new long[PROOFS];
    for (int i = 0; i < PROOFS; i++) {
      long index = (long) (random.nextDouble() * size);
      StoredRecord record =
          new AuditLog(store.reads())
              .list(new Tenant.Everyone(), AuditFilter.ALL, index + 1, 1)
              .getFirst();
      long start = System.nanoTime();
      InclusionProof.of(record, new MerkleLog(store), checkpoints).json();
      nanos[i] = System.nanoTime() - start;
    }
    long[] warm = Arrays.copyOfRange(nanos, PROOFS / 4, PROOFS);
    Arrays.sort(warm);
    System.out.printf(
        "proof in a log of %d: p50 %.2f ms, p99 %.2f ms, most %.2f ms%n",
        size,
        warm[warm.length / 2] / 1e6,
        warm[warm.length * 99 / 100] / 1e6,
        warm[warm.length - 1] / 1e6);
  }
}
