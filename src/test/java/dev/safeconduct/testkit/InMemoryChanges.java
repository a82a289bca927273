package dev.safeconduct.testkit;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.audit.ChangeFeed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The records and changes of the ports in memory, in the order they were committed. */
public final class InMemoryChanges implements ChangeFeed {
  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
  private final List<AuditRecord> records = new ArrayList<>();
  private long sequence;

  /** Appends the record and tells every listener of the subjects. */
  public synchronized void commit(AuditRecord entry, String... subjects) {
    records.add(entry);
    for (String subject : subjects) {
      var change = new Change(sequence + 1, subject);
      listeners.forEach(listener -> listener.accept(change));
      sequence++;
    }
  }

  public synchronized List<AuditRecord> records() {
    return List.copyOf(records);
  }

  /** The last record's body as text. */
  public synchronized String lastBody() {
    return new String(records.getLast().body(), StandardCharsets.UTF_8);
  }

  @Override
  public synchronized long sequence() {
    return sequence;
  }

  @Override
  public void listen(Consumer<Change> listener) {
    listeners.add(listener);
  }
}
