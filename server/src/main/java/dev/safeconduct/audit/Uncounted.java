package dev.safeconduct.audit;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.ChangeFeed;
import dev.safeconduct.ledger.LogEntry;
import dev.safeconduct.ledger.RecordKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the records that this node has committed and not counted yet. Where records are
 * missing here, they are read: those of other nodes and of the time before the start.
 */
final class Uncounted implements ChangeFeed.Appends {
  /** A stretch becomes rows of one transaction. */
  private static final int MOST_GROUPS = 64;

  private static final int MOST_STRETCHES = 500;
  private static final byte[] DRY_RUN = "\"dry_run\":".getBytes(StandardCharsets.US_ASCII);

  /** Some records in a row, the end exclusive. */
  record Stretch(long from, long to, Map<DecisionCounts.Alike, Long> numbers) {}

  private final Deque<Stretch> stretches = new ArrayDeque<>();
  private long end;

  @Override
  public synchronized void appended(long firstIndex, List<LogEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    @Nullable Stretch last = stretches.pollLast();
    end = firstIndex + entries.size();
    if (entries.stream().anyMatch(entry -> entry.record().kind() == RecordKind.ERASURE)) {
      stretches.clear(); // what was erased is read as it is now
      return;
    }
    if (last == null || last.to() != firstIndex || stretches.size() > MOST_STRETCHES) {
      stretches.clear();
      last = new Stretch(firstIndex, firstIndex, new HashMap<>());
    } else if (last.numbers().size() > MOST_GROUPS) {
      stretches.add(last);
      last = new Stretch(firstIndex, firstIndex, new HashMap<>());
    }
    for (int i = 0; i < entries.size(); i++) {
      last.numbers().merge(alike(firstIndex + i, entries.get(i).record()), 1L, Long::sum);
    }
    stretches.add(new Stretch(last.from(), end, last.numbers()));
  }

  /** Takes the records that begin at the position; drops those before it, which are counted. */
  synchronized Optional<Stretch> takeFrom(long position) {
    while (!stretches.isEmpty() && stretches.getFirst().from() < position) {
      stretches.removeFirst();
    }
    return stretches.isEmpty() || stretches.getFirst().from() != position
        ? Optional.empty()
        : Optional.of(stretches.removeFirst());
  }

  /** Returns the smaller of the position and that of the first record here. */
  synchronized long firstBefore(long position) {
    return stretches.isEmpty() ? position : Math.min(position, stretches.getFirst().from());
  }

  /** Returns the position after the last record that this node has committed. */
  synchronized long end() {
    return end;
  }

  /**
   * Drops all when the log does not end with this node's records: another node may have erased
   * some, or an older copy of the log goes on without them.
   *
   * @param before what {@link #end} was before the log's end was read
   */
  synchronized void compare(long before, long endOfLog) {
    if (end < endOfLog || before > endOfLog) {
      stretches.clear();
    }
  }

  private static DecisionCounts.Alike alike(long index, AuditRecord record) {
    return new DecisionCounts.Alike(
        index / LogParts.PART,
        record.org(),
        record.kind().wire(),
        Math.floorDiv(record.at().toEpochMilli(), 60_000) * 60_000,
        record.agent().map(AgentId::value),
        record.policyId(),
        record.allow(),
        record.code(),
        record.kind() == RecordKind.DECISION && isDryRun(record.body()));
  }

  /** A quote inside a text is escaped, so the searched text can occur only as a member. */
  private static boolean isDryRun(byte[] body) {
    for (int i = 0; i + DRY_RUN.length < body.length; i++) {
      if (body[i] == '"'
          && Arrays.equals(body, i, i + DRY_RUN.length, DRY_RUN, 0, DRY_RUN.length)) {
        return body[i + DRY_RUN.length] == 't';
      }
    }
    return false;
  }
}
