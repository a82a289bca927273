package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.db.StoreConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 2, unit = TimeUnit.MINUTES) // of a disk, however slow
class WalCheckpointsTest {
  /** Fewer pages than after which the writer would do it itself. */
  private static final int TRANSACTIONS = 60;

  @TempDir Path folder;

  @Test
  void whatTheWriterAppendsIsTakenIntoTheFileBesideIt() throws Exception {
    Path file = folder.resolve("safeconduct.db");
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      long before = Files.size(file);
      for (int i = 0; i < TRANSACTIONS; i++) {
        new Ledger(store).commit(Fixtures.entry(Long.MAX_VALUE));
      }
      while (Files.size(file) == before) {
        assertThat(Thread.interrupted()).as("it took too long").isFalse();
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /** The log starts over again and again: it does not grow with what is written. */
  @Test
  void theLogStaysShortUnderLoad() throws Exception {
    try (Storage store = Storage.open(StoreConfig.sqlite(folder));
        Load load = new Load(store, 16)) {
      load.awaitAcknowledged(20_000);
      assertThat(Files.size(folder.resolve("safeconduct.db-wal"))).isLessThan(32 << 20);
      assertThat(load.unexpected).isEmpty();
    }
  }
}
