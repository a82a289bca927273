package dev.safeconduct.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.safeconduct.db.StoreConfig;
import java.nio.file.Path;

/** A process that commits and says so until it is killed. */
final class KilledWriter {
  private KilledWriter() {}

  public static void main(String[] arguments) throws InterruptedException {
    Storage store = Storage.open(StoreConfig.sqlite(Path.of(arguments[0])));
    for (int i = 0; i < 8; i++) {
      Thread.ofPlatform().start(() -> commitForever(store));
    }
    Thread.currentThread().join();
  }

  private static void commitForever(Storage store) {
    while (store.healthy()) {
      LedgerEntry entry = Fixtures.entry(Long.MAX_VALUE);
      new Ledger(store).commit(entry);
      byte[] line = (entry.record().id() + "\n").getBytes(US_ASCII);
      synchronized (store) {
        System.out.write(line, 0, line.length);
        System.out.flush();
      }
    }
  }
}
