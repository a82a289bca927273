package dev.safeconduct.audit.verify;

import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.LogParts;
import dev.safeconduct.audit.SignatureCheck;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.signing.KeyRecords;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.CompactRange;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.TreeHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Recomputes the whole tree from the stored records, in one pass and constant memory, and reports
 * every fault. Faults are missing, changed, swapped or duplicate records, signatures by keys that
 * the log did not bring in, and tiles, checkpoints or stored keys that do not match.
 */
public final class Fsck {
  private static final int MOST_FAULTS = 1_000;
  private static final int READINGS = 5;

  private final StoredLog log;
  private final SignatureCheck signatures;
  private final List<String> faults = new ArrayList<>();
  private final CompactRange tree = new CompactRange();

  /** Hashes that do not fill a tile yet, by the tiles' level. */
  private final List<List<byte[]>> edges = new ArrayList<>();

  /** The expected roots at the sizes of known checkpoints. */
  private final TreeMap<Long, List<Checkpoint>> expected = new TreeMap<>();

  /** What the records so far say of the signing keys. */
  private final KeyRecords keys = new KeyRecords();

  private final ErasureCheck erasures;
  private long next;
  private long more;
  private long decisions;
  private long tiles;

  private Fsck(StoredLog log, SignatureCheck signatures) {
    this.log = log;
    this.signatures = signatures;
    this.erasures = new ErasureCheck(log, this::fault);
  }

  /**
   * The result.
   *
   * @param records the number of records
   * @param erased the number of records whose contents were erased
   * @param decisions the number of signatures checked
   * @param checkpoints the number of checkpoints the log was compared with
   * @param root the root over all records
   * @param faults one line each; at most the first 1,000
   * @param more the number of further faults
   * @param disputed the size of a log that a node has seen and that this one does not continue; 0
   *     for none
   */
  @SuppressWarnings("ArrayRecordComponent") // shown, never compared
  public record Report(
      long records,
      long erased,
      long decisions,
      int checkpoints,
      byte[] root,
      List<String> faults,
      long more,
      long disputed) {
    /** Returns what to say of a log that another one contradicts; empty for none. */
    public Optional<String> dispute() {
      return disputed == 0
          ? Optional.empty()
          : Optional.of(
              "a node has seen a log of "
                  + disputed
                  + " records that this one does not continue (log_dispute); until an operator"
                  + " accepts this one, no node writes");
    }

    /** Returns the same with a dispute among the faults. */
    public Report withDispute() {
      var all = new ArrayList<>(faults);
      dispute().ifPresent(all::add);
      return new Report(records, erased, decisions, checkpoints, root, all, more, disputed);
    }
  }

  /**
   * What the log is compared with besides itself.
   *
   * @param checkpoints from other sources (for example an auditor's), as signed notes
   * @param seals opens the seals of the stored keys, where the master key is at hand
   * @param published the public keys of the published key set by {@code kid}
   */
  public record Evidence(
      List<String> checkpoints,
      Optional<PrivateKeys> seals,
      Optional<Map<String, String>> published) {}

  /** Checks everything that can be checked without other evidence than checkpoints. */
  public static Report run(StoredLog log, SignatureCheck signatures, List<String> seen) {
    return run(log, signatures, new Evidence(seen, Optional.empty(), Optional.empty()));
  }

  /** Checks everything. */
  public static Report run(StoredLog log, SignatureCheck signatures, Evidence evidence) {
    log.demandTable();
    Fsck fsck = new Fsck(log, signatures);
    int number = 0;
    for (String note : evidence.checkpoints()) {
      fsck.expect("given checkpoint " + ++number, note);
    }
    number = 0;
    for (StoredLog.StoredCheckpoint kept :
        fsck.readable(log::checkpoints, List.<StoredLog.StoredCheckpoint>of())) {
      String name = "kept checkpoint " + ++number + " (log_checkpoint, size " + kept.size() + ")";
      fsck.expect(name, kept.note());
      if (!kept.note().contains("\n" + kept.size() + "\n")) {
        fsck.fault(name + " is kept under the size " + kept.size() + ", which is not its own");
      }
    }
    fsck.checkCosignatures();
    int checkpoints = fsck.expected.values().stream().mapToInt(List::size).sum();
    log.each(fsck::take);
    fsck.end();
    fsck.checkParts();
    long disputed = fsck.readable(log::disputed, 0L);
    fsck.checkKeys(evidence);
    if (checkpoints == 0 && fsck.tree.size() > 0) {
      fsck.fault(
          "no checkpoint of this log is kept, although each start of the service keeps one: give one"
              + " that was kept elsewhere");
    }
    return new Report(
        fsck.tree.size(),
        fsck.erasures.count(),
        fsck.decisions,
        checkpoints,
        fsck.tree.root(),
        List.copyOf(fsck.faults),
        fsck.more,
        disputed);
  }

  /** Reads a table; a damaged one is a fault, and the check goes on without it. */
  private <T> T readable(Supplier<T> table, T otherwise) {
    try {
      return table.get();
    } catch (StoreFault e) {
      fault(String.valueOf(e.getMessage()));
      return otherwise;
    }
  }

  private void checkCosignatures() {
    for (StoredLog.Cosigned kept : readable(log::cosignatures, List.<StoredLog.Cosigned>of())) {
      boolean sound =
          kept.cosignature().isPresent()
              && expected.getOrDefault(kept.size(), List.of()).stream()
                  .anyMatch(
                      checkpoint -> kept.cosignature().get().holds(checkpoint.text(), signatures));
      if (!sound) {
        fault("a cosignature of the checkpoint of " + kept.size() + " records does not hold");
      }
    }
  }

  /** A record that is in its place and that no search finds would be as good as removed. */
  private void checkParts() {
    long end = Math.min(tree.size(), readable(log::indexed, 0L));
    for (long first = 0; first < end; first += LogParts.PART) {
      long part = first / LogParts.PART;
      String records = "records " + first + " to " + (Math.min(end, first + LogParts.PART) - 1);
      readable(() -> log.unindexed(part, end), List.<String>of())
          .forEach(name -> fault("searches in " + records + " leave out " + name + " (log_part)"));
    }
  }

  private void expect(String name, String text) {
    Optional<SignedNote> note = SignedNote.parse(text);
    Optional<Checkpoint> checkpoint = note.map(SignedNote::text).flatMap(Checkpoint::parse);
    if (checkpoint.isEmpty()) {
      fault(name + " cannot be read");
      return;
    }
    String origin = checkpoint.get().origin();
    if (!signatures.signed(note.get(), origin)) {
      fault(name + " (size " + checkpoint.get().size() + ") is not signed by this log's key");
      return;
    }
    if (!readable(log::origin, Optional.empty()).equals(Optional.of(origin))) {
      fault(name + " is of the log " + origin + ", and this log is named otherwise");
    }
    expected.computeIfAbsent(checkpoint.get().size(), _ -> new ArrayList<>()).add(checkpoint.get());
  }

  private void take(StoredLog.Row row) {
    switch (row) {
      case StoredLog.Row.Broken(long index, String why, Optional<byte[]> entry) -> {
        fault("record " + index + " cannot be read: " + why);
        place(index, entry.map(TreeHash::leaf).orElseGet(() -> new byte[TreeHash.BYTES]));
      }
      case StoredLog.Row.Sound(StoredRecord record) -> {
        try {
          check(record);
        } catch (RuntimeException e) {
          fault("record " + record.logIndex() + " cannot be checked: " + e.getMessage());
        }
        place(record.logIndex(), record.commitment().leafHash());
      }
    }
  }

  private void place(long index, byte[] leafHash) {
    if (index != next) {
      fault(
          index > next
              ? "records " + next + " to " + (index - 1) + " are missing"
              : "record " + index + " stands twice");
    }
    next = index + 1;
    checkExpected();
    tree.append(leafHash);
    edge(0, leafHash);
  }

  private void check(StoredRecord stored) {
    AuditRecord record = stored.entry();
    String name = "record " + stored.logIndex() + " (" + record.id() + ")";
    if (stored.commitment().isErased()) {
      erasures.erased(stored, tree.size());
      return;
    }
    if (!stored.commitment().matches(record)) {
      fault(name + " is not what was committed to");
    }
    if (record.kind() == RecordKind.ERASURE) {
      erasures.told(stored);
    }
    keys.add(record);
    if (record.kind() == RecordKind.DECISION) {
      decisions++;
      JsonObject body = body(record);
      Optional<String> kid = signedBy(record, body);
      if (kid.isEmpty()) {
        fault(name + " is not signed by a decision key that the log brought in before");
      } else if (keys.isRevoked(kid.get())) {
        fault(name + " is signed by " + kid.get() + ", which was revoked before");
      } else if (!shown(record).equals(Receipt.inRecord(body))) {
        fault(name + " does not say what its signed body says: " + shown(record));
      }
    }
  }

  private Optional<String> signedBy(AuditRecord record, JsonObject body) {
    return body.string(DecisionJson.KID)
        .filter(kid ->
            keys.x(kid, Purpose.DECISION)
                .map(Base64.getUrlDecoder()::decode)
                .filter(key -> signatures.holds(key, record.body(), record.signature()))
                .isPresent());
  }

  private static JsonObject body(AuditRecord record) {
    try {
      return Json.parseObject(record.body());
    } catch (JsonFault e) {
      return JsonObject.EMPTY;
    }
  }

  /** Returns what stands beside a decision's body, by which it is listed and counted. */
  private static JsonObject shown(AuditRecord record) {
    JsonObject.Builder shown =
        JsonObject.builder()
            .put("record_id", record.id().toString())
            .put("org_id", record.org().value())
            .put("at", IsoInstant.millis(record.at()))
            .putIfPresent("agent_id", record.agent().map(AgentId::value))
            .putIfPresent("policy_id", record.policyId())
            .putIfPresent("code", record.code());
    record.allow().ifPresent(allow -> shown.put("allow", allow));
    return shown.build();
  }

  /** Compares the stored and the published keys with what the log says of them. */
  private void checkKeys(Evidence evidence) {
    List<SealedKey> rows = readable(() -> log.keys(this::fault), List.of());
    List<String> differences = keys.differences(rows, true);
    // The service may have changed its keys while the log was read.
    for (int attempt = 0; !differences.isEmpty() && attempt < READINGS; attempt++) {
      try {
        if (log.keyRecords().differences(log.keys(_ -> {}), true).isEmpty()) {
          differences = List.of();
        }
      } catch (RuntimeException e) {
        break; // a record that cannot be read was reported already
      }
    }
    differences.forEach(this::fault);
    evidence.seals().ifPresent(seals -> KeyRing.unsealable(rows, seals).forEach(this::fault));
    evidence
        .published()
        .ifPresent(published -> keys.publishedDifferences(published).forEach(this::fault));
  }

  private void checkExpected() {
    for (Checkpoint checkpoint : expected.getOrDefault(tree.size(), List.of())) {
      if (!Arrays.equals(checkpoint.root(), tree.root())) {
        fault("the log of " + tree.size() + " records is not the one its checkpoint names");
      }
    }
    expected.remove(tree.size());
  }

  private void edge(int level, byte[] hash) {
    if (edges.size() == level) {
      edges.add(new ArrayList<>(Tile.FULL));
    }
    List<byte[]> edge = edges.get(level);
    edge.add(hash);
    if (edge.size() == Tile.FULL) {
      byte[] hashes = TreeHash.joined(edge);
      compare(level, (tree.size() - 1) >> (Tile.HEIGHT * (level + 1)), hashes);
      edge.clear();
      edge(level + 1, TreeHash.complete(hashes));
    }
  }

  private void compare(int level, long index, byte[] hashes) {
    tiles++;
    Optional<byte[]> kept = readable(() -> log.tile(level, index), Optional.empty());
    String name = "tile " + level + "/" + index;
    if (kept.isEmpty()) {
      fault(name + " is missing");
    } else if (!Arrays.equals(kept.get(), hashes)) {
      fault(name + " does not follow from the records");
    }
  }

  private void end() {
    checkExpected();
    erasures.end();
    for (int level = 1; level < edges.size(); level++) {
      if (!edges.get(level).isEmpty()) {
        compare(
            level, tree.size() >> (Tile.HEIGHT * (level + 1)), TreeHash.joined(edges.get(level)));
      }
    }
    if (readable(log::tiles, 0L) > tiles) {
      fault("there are tiles beyond the end of the log");
    }
    for (Map.Entry<Long, List<Checkpoint>> beyond : expected.entrySet()) {
      fault(
          "the log has "
              + tree.size()
              + " records, but its checkpoint says it had "
              + beyond.getKey());
    }
  }

  private void fault(String text) {
    if (faults.size() < MOST_FAULTS) {
      faults.add(text);
    } else {
      more++;
    }
  }
}
