package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static dev.safeconduct.ledger.Fixtures.claim;
import static dev.safeconduct.ledger.Fixtures.claiming;
import static dev.safeconduct.ledger.Fixtures.taking;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.verify.Reservation;
import dev.safeconduct.verify.Reservation.Kind;
import dev.safeconduct.verify.Reservations;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What {@code Reservations} promises, on either database. */
final class ReservationStoreTest extends StoreContract {
  private static final long LATER = NOW.toEpochMilli() + 3_600_000;
  private static final Tenant TENANT = new Tenant.One(ORG);

  private final CounterKey key = CounterKey.of("counter", UUID.randomUUID().toString());
  private final CounterKey other = CounterKey.of("other", UUID.randomUUID().toString());

  @Test
  void keepsAReservationsEveryPart() {
    Reservation reservation =
        reserved(List.of(new Charge(key, 5, LATER), new Charge(other, 1, Long.MAX_VALUE)));
    assertThat(find(reservation)).isEqualTo(reservation);
    assertThat(new Reservations(store()).find(new Tenant.Everyone(), reservation.decisionId()))
        .contains(reservation);
    assertThat(new Reservations(store()).find(new Tenant.One(OTHER), reservation.decisionId()))
        .isEmpty();
    assertThat(new Reservations(store()).find(TENANT, UUID.randomUUID())).isEmpty();
    reopen();
    assertThat(find(reservation)).isEqualTo(reservation);
  }

  @Test
  void givesEveryChargeBackOnce() {
    taken(key, 7);
    Reservation reservation =
        reserved(List.of(new Charge(key, 5, LATER), new Charge(other, 3, Long.MAX_VALUE)));
    assertThat(total(key)).isEqualTo(12);
    AuditRecord entry = record(RecordKind.RESERVATION_RELEASED, NOW.plusSeconds(1));
    assertThat(new Reservations(store()).release(reservation, entry)).isTrue();
    assertThat(total(key)).isEqualTo(7);
    assertThat(total(other)).isZero();
    assertThat(find(reservation).settlement())
        .contains(new Reservation.Settlement(Kind.RELEASED, NOW.plusSeconds(1)));
    assertThat(new AuditLog(store().reads()).find(TENANT, entry.id())).isPresent();
    long records = records();
    assertThat(release(reservation, NOW.plusSeconds(2))).isFalse();
    assertThat(commit(reservation, NOW.plusSeconds(2))).isFalse();
    assertThat(records()).isEqualTo(records);
    reopen();
    assertThat(total(key)).isEqualTo(7);
    assertThat(total(other)).isZero();
    assertThat(release(reservation, NOW.plusSeconds(3))).isFalse();
    // What came back is there to be taken, to the last unit and not beyond.
    assertThat(new Ledger(store()).commit(taking(key, 5, 7, NOW, LATER)))
        .isInstanceOf(Commit.Recorded.class);
    assertThat(new Ledger(store()).commit(taking(key, 1, 11, NOW, LATER)))
        .isInstanceOf(Commit.UsageMoved.class);
  }

  @Test
  void keepsTheChargesOfACommittedOne() {
    Reservation reservation = reserved(List.of(new Charge(key, 5, LATER)));
    assertThat(commit(reservation, NOW.plusSeconds(1))).isTrue();
    assertThat(commit(reservation, NOW.plusSeconds(2))).isFalse();
    assertThat(release(reservation, NOW.plusSeconds(2))).isFalse();
    assertThat(total(key)).isEqualTo(5);
    assertThat(find(reservation).settlement())
        .contains(new Reservation.Settlement(Kind.COMMITTED, NOW.plusSeconds(1)));
  }

  @Test
  void keepsTheChargesOfAnExpiredOne() {
    Reservation reservation = reserved(List.of(new Charge(key, 5, LATER)));
    assertThat(release(reservation, reservation.expiresAt())).isFalse();
    assertThat(commit(reservation, reservation.expiresAt())).isFalse();
    assertThat(total(key)).isEqualTo(5);
    assertThat(release(reservation, reservation.expiresAt().minusMillis(1))).isTrue();
    assertThat(total(key)).isZero();
  }

  @Test
  void givesBackNothingThatHasGoneAlready() {
    long soon = NOW.toEpochMilli() + 10;
    Reservation reservation = reserved(List.of(new Charge(key, 5, soon)));
    taken(key, 2);
    assertThat(release(reservation, NOW.plusSeconds(60))).isTrue();
    assertThat(total(key)).isEqualTo(2);
  }

  /** Else its replay would allow the action again without the charges. */
  @Test
  void freesTheIdempotencyKeyOfAReleasedOne() {
    String name = UUID.randomUUID().toString();
    IdempotencyClaim claim = claim(name, 1, 1, NOW.plusSeconds(3_600));
    Reservation reservation = reserved(List.of(new Charge(key, 5, LATER)), Optional.of(claim));
    assertThat(new Ledger(store()).commit(claiming(claim, NOW)))
        .isInstanceOf(Commit.Replayed.class);
    assertThat(release(reservation, NOW.plusSeconds(1))).isTrue();
    LedgerEntry again = claiming(claim, NOW.plusSeconds(2));
    assertThat(new Ledger(store()).commit(again)).isInstanceOf(Commit.Recorded.class);
    reopen();
    Commit replayed = new Ledger(store()).commit(claiming(claim, NOW.plusSeconds(3)));
    assertThat(((Commit.Replayed) replayed).original().entry().id()).isEqualTo(again.record().id());
  }

  /** A key that another decision has taken over is that one's. */
  @Test
  void leavesAKeyThatIsSomebodyElsesByNow() {
    String name = UUID.randomUUID().toString();
    Reservation reservation =
        reserved(
            List.of(new Charge(key, 5, LATER)),
            Optional.of(claim(name, 1, 1, NOW.plusSeconds(3_600))));
    IdempotencyClaim otherBasis = claim(name, 1, 2, NOW.plusSeconds(3_600));
    new Ledger(store()).commit(claiming(otherBasis, NOW));
    assertThat(release(reservation, NOW.plusSeconds(1))).isTrue();
    assertThat(new Ledger(store()).commit(claiming(otherBasis, NOW.plusSeconds(2))))
        .isInstanceOf(Commit.Replayed.class);
  }

  /** Callers take and give back and take for good, all at once; the sum is right at every end. */
  @Test
  void countsExactlyWhileManyTakeAndGiveBack() {
    long cap = 40;
    List<Long> kept =
        AtOnce.run(
            64,
            caller -> {
              long mine = 0;
              for (int i = 0; i < 12; i++) {
                Reservation reservation = open(List.of(new Charge(key, 1, LATER)));
                if (new Ledger(store()).commit(entry(reservation, cap - 1))
                    instanceof Commit.Recorded) {
                  boolean gaveBack = (caller + i) % 3 > 0;
                  assertThat(
                          gaveBack
                              ? release(reservation, NOW.plusSeconds(1))
                              : commit(reservation, NOW.plusSeconds(1)))
                      .isTrue();
                  mine += gaveBack ? 0 : 1;
                }
                assertThat(total(key)).isBetween(0L, cap);
              }
              return mine;
            });
    long sum = kept.stream().mapToLong(Long::longValue).sum();
    assertThat(total(key)).isEqualTo(sum).isLessThanOrEqualTo(cap);
    reopen();
    assertThat(total(key)).isEqualTo(sum);
  }

  @Test
  void settlesOnceHoweverManyTry() {
    for (int round = 0; round < 20; round++) {
      Reservation reservation = reserved(List.of(new Charge(key, 1, LATER)));
      long before = total(key);
      List<Boolean> settled =
          AtOnce.run(
              32,
              i ->
                  i % 2 == 0
                      ? release(reservation, NOW.plusSeconds(1))
                      : commit(reservation, NOW.plusSeconds(1)));
      assertThat(settled).containsOnlyOnce(true);
      boolean released = find(reservation).settlement().orElseThrow().kind() == Kind.RELEASED;
      assertThat(total(key)).isEqualTo(before - (released ? 1 : 0));
    }
  }

  private Reservation reserved(List<Charge> charges) {
    return reserved(charges, Optional.empty());
  }

  private Reservation reserved(List<Charge> charges, Optional<IdempotencyClaim> claim) {
    Reservation reservation = open(charges);
    Reservation named =
        new Reservation(
            reservation.decisionId(),
            ORG,
            "agent",
            "pack.v1",
            charges,
            claim.map(IdempotencyClaim::key),
            reservation.expiresAt(),
            Optional.empty());
    AuditRecord record = decision(named);
    LedgerEntry entry =
        new LedgerEntry(
            record,
            List.of(),
            charges,
            new ReadSet(Long.MAX_VALUE, List.of()),
            claim,
            List.of(Reservations.opening(named)));
    assertThat(new Ledger(store()).commit(entry)).isInstanceOf(Commit.Recorded.class);
    return named;
  }

  private static Reservation open(List<Charge> charges) {
    return new Reservation(
        UUID.randomUUID(),
        ORG,
        "agent",
        "pack.v1",
        charges,
        Optional.empty(),
        NOW.plus(Reservation.LIFETIME),
        Optional.empty());
  }

  private static LedgerEntry entry(Reservation reservation, long atMost) {
    CounterKey counter = reservation.charges().getFirst().key();
    return new LedgerEntry(
        decision(reservation),
        List.of(new dev.safeconduct.ledger.CounterPrecondition(counter, atMost)),
        reservation.charges(),
        new ReadSet(Long.MAX_VALUE, List.of()),
        Optional.empty(),
        List.of(Reservations.opening(reservation)));
  }

  private static AuditRecord decision(Reservation reservation) {
    return withId(Fixtures.decision(), reservation.decisionId());
  }

  private static AuditRecord withId(AuditRecord record, UUID id) {
    return new AuditRecord(
        id,
        record.kind(),
        record.org(),
        record.at(),
        record.agent(),
        record.policyId(),
        record.allow(),
        record.code(),
        record.body(),
        record.signature(),
        record.details());
  }

  private static AuditRecord record(RecordKind kind, Instant at) {
    return Fixtures.record(ORG, kind, at);
  }

  private boolean release(Reservation reservation, Instant at) {
    return new Reservations(store())
        .release(reservation, record(RecordKind.RESERVATION_RELEASED, at));
  }

  private boolean commit(Reservation reservation, Instant at) {
    return new Reservations(store())
        .commit(reservation, record(RecordKind.RESERVATION_COMMITTED, at));
  }

  private Reservation find(Reservation reservation) {
    return new Reservations(store()).find(TENANT, reservation.decisionId()).orElseThrow();
  }

  private void taken(CounterKey counter, long amount) {
    assertThat(new Ledger(store()).commit(taking(counter, amount, Long.MAX_VALUE, NOW, LATER)))
        .isInstanceOf(Commit.Recorded.class);
  }

  private long total(CounterKey counter) {
    return new Ledger(store()).totals(List.of(counter), NOW.toEpochMilli()).total(counter);
  }

  private long records() {
    return new AuditLog(store().reads())
        .list(TENANT, AuditFilter.ALL, Long.MAX_VALUE, 1_000)
        .size();
  }
}
