package dev.safeconduct.audit.verify;

import dev.safeconduct.audit.ErasedStubs;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Compares erased records with the records of their erasure. Each erased record must be covered by
 * one, and its remaining columns must match the digest. Uses one bit per record until its erasure
 * record is read.
 */
final class ErasureCheck {
  private static final int BLOCK = 1 << 20;

  /** Positions further ahead of the records read so far are not noted: each could cost a block. */
  private static final long MOST_AHEAD = 1L << 27;

  private final StoredLog log;
  private final Consumer<String> fault;
  private final Map<Long, BitSet> untold = new TreeMap<>();
  private long count;

  ErasureCheck(StoredLog log, Consumer<String> fault) {
    this.log = log;
    this.fault = fault;
  }

  /** Returns the number of erased records. */
  long count() {
    return count;
  }

  /**
   * Adds a record without salt.
   *
   * @param read the number of records before it
   */
  void erased(StoredRecord stored, long read) {
    count++;
    AuditRecord record = stored.entry();
    if (record.kind() == RecordKind.CONFIG || record.kind() == RecordKind.ERASURE) {
      fault.accept(
          "record " + stored.logIndex() + " was erased, but the service erases none of its kind");
    }
    if (record.body().length > 0
        || record.details().length > 0
        || record.signature().length > 0
        || record.agent().isPresent()
        || record.policyId().isPresent()
        || record.allow().isPresent()
        || record.code().isPresent()) {
      fault.accept("record " + stored.logIndex() + " has contents but no salt");
    }
    if (stored.logIndex() >= 0 && stored.logIndex() < read + MOST_AHEAD) {
      untold
          .computeIfAbsent(stored.logIndex() / BLOCK, _ -> new BitSet())
          .set((int) (stored.logIndex() % BLOCK));
    }
  }

  /** Adds a record of an erasure. */
  void told(StoredRecord erasure) {
    String name = "the erasure in record " + erasure.logIndex();
    try {
      JsonObject body = Json.parseObject(erasure.entry().body());
      var stubs = new ErasedStubs();
      double before = -1;
      for (JsonValue range : body.array("ranges").orElse(JsonArray.EMPTY)) {
        if (!(range instanceof JsonArray pair)
            || pair.size() != 2
            || !(pair.get(0) instanceof JsonNumber first)
            || !(pair.get(1) instanceof JsonNumber last)
            || first.value() <= before
            || first.value() > last.value()
            || last.value() >= erasure.logIndex()) {
          fault.accept(name + " names no places");
          return;
        }
        before = last.value();
        again((long) first.value(), (long) last.value(), stubs, name);
      }
      if (!body.string("remains_digest").equals(Optional.of(stubs.digest()))) {
        fault.accept("what is left of the records of " + name + " is not what was left then");
      }
    } catch (JsonFault e) {
      fault.accept(name + " cannot be read");
    }
  }

  private void again(long first, long last, ErasedStubs stubs, String name) {
    log.each(
        first,
        last,
        row -> {
          if (row instanceof StoredLog.Row.Sound(StoredRecord record)
              && record.commitment().isErased()) {
            stubs.add(record);
            BitSet block = untold.get(record.logIndex() / BLOCK);
            if (block != null) {
              block.clear((int) (record.logIndex() % BLOCK));
            }
          } else {
            fault.accept("a record of " + name + " has not been erased, or not soundly");
          }
        });
  }

  /** Completes the check after the last record. */
  void end() {
    untold.forEach((block, bits) ->
        bits.stream()
            .forEach(bit ->
                fault.accept(
                    "record " + (block * BLOCK + bit) + " was erased, and no record tells of it")));
  }
}
