package dev.safeconduct.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Commitment;
import dev.safeconduct.ledger.LogEntry;
import dev.safeconduct.ledger.RecordKind;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class UncountedTest {
  private final Uncounted uncounted = new Uncounted();

  private void commit(long index, RecordKind kind) {
    var record =
        new AuditRecord(
            UUID.randomUUID(),
            kind,
            new OrgId("org_one"),
            Instant.EPOCH,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new byte[0],
            new byte[0],
            new byte[0]);
    uncounted.appended(
        index, List.of(new LogEntry(record, Commitment.to(record, new SecureRandom()))));
  }

  private long taken(long endOfLog) {
    uncounted.compare(uncounted.end(), endOfLog);
    return uncounted.takeFrom(0).map(Uncounted.Stretch::to).orElse(0L);
  }

  private void commitThree() {
    for (int i = 0; i < 3; i++) {
      commit(i, RecordKind.DECISION);
    }
  }

  @Test
  void recordsAreTakenOnceWhereTheLogEndsWithThem() {
    commitThree();
    assertThat(taken(3)).isEqualTo(3);
    assertThat(taken(3)).isZero();
  }

  @Test
  void recordsThatFollowWhileTheEndIsReadAreKept() {
    commitThree();
    long before = uncounted.end();
    commit(3, RecordKind.DECISION);
    uncounted.compare(before, 3);
    assertThat(uncounted.takeFrom(0).map(Uncounted.Stretch::to)).contains(4L);
  }

  @Test
  void recordsThatMayHaveChangedOrAreNotInTheLogAreRead() {
    commitThree();
    assertThat(taken(4)).as("another node has appended").isZero();
    commitThree();
    assertThat(taken(2)).as("an older copy of the log has fewer records").isZero();
    commitThree();
    commit(3, RecordKind.ERASURE);
    assertThat(taken(4)).as("some were erased").isZero();
  }
}
