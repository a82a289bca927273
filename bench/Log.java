import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.InclusionProof;
import dev.safeconduct.audit.LogKey;
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
import java.util.concurrent.atomic.AtomicLong;

/**
 * A long log on SQLite: fill FOLDER ORG DECISIONS AGENTS [SECONDS] writes signed decisions of many agents
 * as the service does, as many as it can in the time, and count FOLDER adds them up; proofs FOLDER times
 * inclusion proofs.
 */
final class Log {
  private static final int CALLERS = 128;
  private static final int PROOFS = 20_000;
  private static final String[] POLICIES = {
    "system.command.execute.v1", "web.fetch.v1", "data.file.read.v1"
  };

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "fill" -> fill(args);
      case "count" -> count(args[1]);
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
      double seconds = write(store, signer, args[2], Long.parseLong(args[3]), args[4], end);
      long count = new MerkleLog(store).size() - before;
      System.out.printf("filled: %d decisions in %.0f s (%.0f/s)%n", count, seconds, count / seconds);
    }
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

  private static double write(
      Storage store, Signer signer, String org, long count, String agents, long end) {
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
              for (long n = next.getAndIncrement();
                  n < count && System.nanoTime() < end;
                  n = next.getAndIncrement()) {
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
    String message = allow ? "Every check of the policy passed." : "It may not do that.";
    var decision =
        new Decision(
            id,
            org,
            new Decision.Agent(agentId, agentId, "L1", digest, Decision.Source.REGISTRY),
            new Decision.Policy(policy, digest, Decision.Source.REGISTRY),
            digest,
            new Decision.Result(allow, new Decision.Reason(code, message, Optional.empty())),
            new Decision.Validity(now, allow ? 30 : 0, false),
            signer.kid());
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
      List<LogKey> log = keys(folder, store).logSigners().stream().<LogKey>map(Key::new).toList();
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

  private record Key(Signer signer) implements LogKey {
    @Override
    public byte[] publicKey() {
      return signer.publicKey();
    }

    @Override
    public byte[] sign(byte[] message) {
      return signer.sign(message);
    }
  }
}
