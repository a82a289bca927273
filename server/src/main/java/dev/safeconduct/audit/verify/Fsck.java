package dev.safeconduct.audit.verify;

import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.SignatureCheck;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.CompactRange;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.TreeHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Recomputes the whole tree from the stored records, in one pass and constant memory, and reports
 * every fault. Faults are missing, changed, swapped or duplicate records, signatures by foreign
 * keys, and tiles or checkpoints that do not match.
 */
public final class Fsck {
  private static final int MOST_FAULTS = 1_000;

  private final StoredLog log;
  private final SignatureCheck signatures;
  private final List<String> faults = new ArrayList<>();
  private final CompactRange tree = new CompactRange();

  /** Hashes that do not fill a tile yet, by the tiles' level. */
  private final List<List<byte[]>> edges = new ArrayList<>();

  /** The expected roots at the sizes of known checkpoints. */
  private final TreeMap<Long, List<Checkpoint>> expected = new TreeMap<>();

  /** The signing keys revoked by records so far. */
  private final Set<String> revoked = new HashSet<>();

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
   */
  @SuppressWarnings("ArrayRecordComponent") // shown, never compared
  public record Report(
      long records,
      long erased,
      long decisions,
      int checkpoints,
      byte[] root,
      List<String> faults,
      long more) {}

  /**
   * Checks everything.
   *
   * @param seen checkpoints from other sources (for example an auditor's), as signed notes
   */
  public static Report run(StoredLog log, SignatureCheck signatures, List<String> seen) {
    Fsck fsck = new Fsck(log, signatures);
    int number = 0;
    for (String note : seen) {
      fsck.expect("given checkpoint " + ++number, note);
    }
    number = 0;
    for (StoredLog.StoredCheckpoint kept : log.checkpoints()) {
      String name = "kept checkpoint " + ++number;
      fsck.expect(name, kept.note());
      if (!kept.note().contains("\n" + kept.size() + "\n")) {
        fsck.fault(name + " is kept under the size " + kept.size() + ", which is not its own");
      }
    }
    fsck.checkCosignatures();
    int checkpoints = fsck.expected.values().stream().mapToInt(List::size).sum();
    log.each(fsck::take);
    fsck.end();
    return new Report(
        fsck.tree.size(),
        fsck.erasures.count(),
        fsck.decisions,
        checkpoints,
        fsck.tree.root(),
        List.copyOf(fsck.faults),
        fsck.more);
  }

  private void checkCosignatures() {
    for (StoredLog.Cosigned kept : log.cosignatures()) {
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

  private void expect(String name, String text) {
    Optional<SignedNote> note = SignedNote.parse(text);
    Optional<Checkpoint> checkpoint = note.map(SignedNote::text).flatMap(Checkpoint::parse);
    if (checkpoint.isEmpty()) {
      fault(name + " cannot be read");
      return;
    }
    boolean signed =
        note.get().lines().stream()
            .anyMatch(line ->
                line.name().equals(checkpoint.get().origin())
                    && signatures.checkpoint(
                        line.name(), line.keyHash(), note.get().signedBytes(), line.signature()));
    if (!signed) {
      fault(name + " (size " + checkpoint.get().size() + ") is not signed by this log's key");
      return;
    }
    expected.computeIfAbsent(checkpoint.get().size(), _ -> new ArrayList<>()).add(checkpoint.get());
  }

  private void take(StoredLog.Row row) {
    switch (row) {
      case StoredLog.Row.Broken(long index, String why) -> {
        fault("record " + index + " cannot be read: " + why);
        place(index, new byte[TreeHash.BYTES]);
      }
      case StoredLog.Row.Sound(StoredRecord record) -> {
        check(record);
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
      erasures.erased(stored);
      return;
    }
    if (!stored.commitment().matches(record)) {
      fault(name + " is not what was committed to");
    }
    if (record.kind() == RecordKind.ERASURE) {
      erasures.told(stored);
    }
    if (record.kind() == RecordKind.CONFIG) {
      revokedIn(record).ifPresent(revoked::add);
    }
    if (record.kind() == RecordKind.DECISION) {
      decisions++;
      Optional<String> kid = signedBy(record);
      if (kid.isEmpty()) {
        fault(name + " is not signed by a decision key of this service");
      } else if (revoked.contains(kid.get())) {
        fault(name + " is signed by " + kid.get() + ", which was revoked before");
      }
    }
  }

  /** Returns the signing key that the record revokes. */
  private static Optional<String> revokedIn(AuditRecord record) {
    try {
      JsonObject body = Json.parseObject(record.body());
      return body.string("change").equals(Optional.of("signing_key_revoked"))
          ? body.string("kid")
          : Optional.empty();
    } catch (JsonFault e) {
      return Optional.empty(); // it does not match its commitment, as reported already
    }
  }

  private Optional<String> signedBy(AuditRecord record) {
    try {
      return Json.parseObject(record.body())
          .string(DecisionJson.KID)
          .filter(kid -> signatures.decision(kid, record.body(), record.signature()));
    } catch (JsonFault e) {
      return Optional.empty();
    }
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
    Optional<byte[]> kept = log.tile(level, index);
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
    if (log.tiles() > tiles) {
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
