package dev.safeconduct.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Rooms;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A growing log keeps a checkpoint each minute, whoever asks for checkpoints meanwhile. */
final class CheckpointsTest {
  private final MovableClock clock = new MovableClock();
  private final Random random = new Random(7);

  private void record(Storage store) {
    var recorder = new Recorder(new RecordIds(clock, random::nextLong), clock);
    Origin origin = Rooms.admin();
    boolean _ =
        store.change(_ ->
            MutationResult.of(
                true,
                recorder.write(
                    RecordKind.CONFIG,
                    new OrgId("org"),
                    recorder.now(),
                    origin,
                    JsonObject.EMPTY)));
  }

  @Test
  void noGapIsLongerThanAMinute(@TempDir Path folder) {
    try (Storage store = Storage.open(StoreConfig.sqlite(folder));
        var checkpoints = new Checkpoints(new MerkleLog(store), "log", List::of, clock)) {
      record(store);
      assertThat(checkpoints.keep()).isEqualTo(Duration.ofMinutes(1));
      record(store);
      clock.advance(Duration.ofSeconds(90)); // as if the thread had been late
      assertThat(checkpoints.current().checkpoint().size()).isEqualTo(2);
      record(store);
      clock.advance(Duration.ofSeconds(20));
      assertThat(checkpoints.keep()).isEqualTo(Duration.ofSeconds(40));
      clock.advance(Duration.ofMillis(39_500));
      assertThat(checkpoints.current().checkpoint().size()).isEqualTo(3);
      clock.advance(Duration.ofMillis(500)); // the one in hand is fresh, but was not kept
      assertThat(checkpoints.keep()).isEqualTo(Duration.ofMinutes(1));
      assertThat(store.number(Sql.of("SELECT count(*) FROM log_checkpoint"))).isEqualTo(3);
    }
  }
}
