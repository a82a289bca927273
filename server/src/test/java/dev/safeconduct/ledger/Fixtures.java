package dev.safeconduct.ledger;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Records and entries to write. */
final class Fixtures {
  static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123Z");
  static final OrgId ORG = new OrgId("org_11111111111111111111111111111111");
  static final OrgId OTHER = new OrgId("org_22222222222222222222222222222222");
  static final AgentId AGENT = new AgentId("ap_33333333333333333333333333333333");

  private Fixtures() {}

  static AuditRecord record(OrgId org, RecordKind kind, Instant at) {
    return new AuditRecord(
        UUID.randomUUID(),
        kind,
        org,
        at,
        Optional.of(AGENT),
        Optional.of("payments.charge.v1"),
        Optional.of(true),
        Optional.of("oap.allowed"),
        "{\"a\":1}".getBytes(StandardCharsets.UTF_8),
        new byte[64],
        "{}".getBytes(StandardCharsets.UTF_8));
  }

  static AuditRecord change(RecordKind kind) {
    return new AuditRecord(
        UUID.randomUUID(),
        kind,
        ORG,
        NOW,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        "{}".getBytes(StandardCharsets.UTF_8),
        new byte[0],
        "{}".getBytes(StandardCharsets.UTF_8));
  }

  static AuditRecord decision() {
    return record(ORG, RecordKind.DECISION, NOW);
  }

  /** An entry nothing can refuse but the fence. */
  static LedgerEntry entry(long sequence, String... subjects) {
    return new LedgerEntry(
        decision(),
        List.of(),
        List.of(),
        new ReadSet(sequence, List.of(subjects)),
        Optional.empty());
  }

  /** One that takes the amount if at most so much has been taken before. */
  static LedgerEntry taking(CounterKey key, long amount, long atMost, Instant at, long expiresAt) {
    return new LedgerEntry(
        record(ORG, RecordKind.DECISION, at),
        List.of(new CounterPrecondition(key, atMost)),
        List.of(new Charge(key, amount, expiresAt)),
        new ReadSet(Long.MAX_VALUE, List.of()),
        Optional.empty());
  }

  static LedgerEntry claiming(IdempotencyClaim claim, Instant at) {
    return new LedgerEntry(
        record(ORG, RecordKind.DECISION, at),
        List.of(),
        List.of(),
        new ReadSet(Long.MAX_VALUE, List.of()),
        Optional.of(claim));
  }

  static IdempotencyClaim claim(String key, int request, int basis, Instant expiresAt) {
    byte[] requestDigest = new byte[32];
    requestDigest[0] = (byte) request;
    byte[] basisDigest = new byte[32];
    basisDigest[0] = (byte) basis;
    return new IdempotencyClaim(
        CounterKey.of(key), requestDigest, basisDigest, expiresAt.toEpochMilli());
  }

  static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
