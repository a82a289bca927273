import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.audit.Checkpoints;
import dev.safeconduct.audit.InclusionProof;
import dev.safeconduct.audit.LogKey;
import dev.safeconduct.ledger.Ledger;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
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
import dev.safeconduct.ledger.ReadSet;
import dev.safeconduct.ledger.LedgerEntry;
import dev.safeconduct.signing.Vault;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
 * Fills a SQLite store with signed decisions as the service records them, then times proofs.
 * Arguments: the data folder, how many decisions.
 */
final class LogScale {
  private static final int CALLERS = 128;
  private static final int PROOFS = 20_000;

  public static void main(String[] args) throws Exception {
    Path folder = Files.createDirectories(Path.of(args[0]));
    long wanted = Long.parseLong(args[1]);
    InstantSource clock = InstantSource.system();
    var random = new SecureRandom();
    MasterKey master = MasterKey.fromFile(folder.resolve("master.key"), random);
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      KeyRing keys =
          KeyRing.open(
              new Vault(store),
              PrivateKeys.inMemory(master, Ed25519.fastest()),
              clock.instant(),
              random);
      byte[] origin = "bench.example/api/audit/log".getBytes(StandardCharsets.UTF_8);
      new Vault(store).putIfAbsent("log_origin", origin);
      fill(store, keys.signer(Purpose.DECISION), wanted - new MerkleLog(store).size(), clock);
      proofs(store, keys, clock);
    }
  }

  private static void fill(Storage store, Signer signer, long count, InstantSource clock)
      throws Exception {
    var ids = new RecordIds(clock, new SecureRandom()::nextLong);
    var left = new AtomicLong(count);
    long start = System.nanoTime();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CALLERS; i++) {
        callers.submit(
            () -> {
              while (left.getAndDecrement() > 0) {
                new Ledger(store).commit(entry(signer, ids.next(), clock.instant()));
              }
            });
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf("filled: %d records in %.0f s (%.0f/s)%n", count, seconds, count / seconds);
  }

  private static LedgerEntry entry(Signer signer, UUID id, Instant time) {
    Instant now = time.truncatedTo(ChronoUnit.MILLIS);
    String digest = "sha256:" + "3f2c9a1b7e5d4c60".repeat(4);
    JsonObject reason =
        JsonObject.builder()
            .put("code", "oap.allowed")
            .put("message", "Every check of the policy passed.")
            .put("severity", "info")
            .build();
    JsonObject decision =
        JsonObject.builder()
            .put("agent_id", "ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79")
            .put("allow", true)
            .put("assurance_level", "L1")
            .put("context_digest", digest)
            .put("created_at", IsoInstant.seconds(now))
            .put("decision_id", id.toString())
            .put("kid", signer.kid())
            .put("passport_digest", digest)
            .put("policy_digest", digest)
            .put("policy_id", "system.command.execute.v1")
            .put("reasons", JsonArray.of(reason))
            .build();
    JsonObject details =
        JsonObject.builder()
            .put("address", "127.0.0.1")
            .put("caller", "key:key_019aa5b0c7e07a1b8c2d3e4f5a6b7c8d")
            .put("context", JsonObject.builder().put("command", "git log --oneline -n 40").build())
            .put("request_id", "req_2a69e97f3e0acd1cf766079e35a3f07c")
            .build();
    byte[] body = CanonicalJson.bytes(decision);
    return new LedgerEntry(
        new AuditRecord(
            id,
            RecordKind.DECISION,
            new OrgId("org_bench"),
            now,
            Optional.of(new AgentId("ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79")),
            Optional.of("system.command.execute.v1"),
            Optional.of(true),
            Optional.of("oap.allowed"),
            body,
            signer.sign(body),
            CanonicalJson.bytes(details)),
        List.of(),
        List.of(),
        new ReadSet(Long.MAX_VALUE, List.of()),
        Optional.empty(),
        List.of());
  }

  private static void proofs(Storage store, KeyRing keys, InstantSource clock) {
    List<LogKey> log = keys.logSigners().stream().<LogKey>map(Key::new).toList();
    var checkpoints =
        new Checkpoints(new MerkleLog(store), "bench.example/api/audit/log", () -> log, clock);
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
