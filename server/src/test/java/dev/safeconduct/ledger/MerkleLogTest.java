package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.tlog.Proofs;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.Tree;
import dev.safeconduct.tlog.TreeHash;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The Merkle log follows from the records, whoever appended them and in whatever batches. */
final class MerkleLogTest extends StoreContract {
  void append(Storage to, int records) {
    AtOnce.run(
        records, _ -> LedgerTest.done(new Ledger(to).commit(Fixtures.entry(Long.MAX_VALUE))));
  }

  /** The leaves as the records themselves give them. */
  private List<byte[]> leaves() {
    var records = new ArrayList<StoredRecord>();
    long before = Long.MAX_VALUE;
    while (true) {
      List<StoredRecord> page =
          new AuditLog(store().reads()).list(new Tenant.Everyone(), AuditFilter.ALL, before, 200);
      if (page.isEmpty()) {
        break;
      }
      records.addAll(page);
      before = page.getLast().logIndex();
    }
    records.sort(Comparator.comparingLong(StoredRecord::logIndex));
    for (StoredRecord record : records) {
      assertThat(record.commitment().matches(record.entry())).isTrue();
    }
    return records.stream().map(record -> record.commitment().leafHash()).toList();
  }

  private static byte[] root(List<byte[]> leaves) {
    if (leaves.size() == 1) {
      return leaves.getFirst();
    }
    int k = Integer.highestOneBit(leaves.size() - 1);
    return TreeHash.node(root(leaves.subList(0, k)), root(leaves.subList(k, leaves.size())));
  }

  void holds() {
    List<byte[]> leaves = leaves();
    MerkleLog log = new MerkleLog(store());
    assertThat(log.size()).isEqualTo(leaves.size());
    Tree tree = new Tree(log.nodes(), log.size());
    assertThat(tree.root()).isEqualTo(root(leaves));
    for (int i = 0; i < leaves.size(); i += 37) {
      assertThat(Proofs.includes(leaves.get(i), i, tree.size(), tree.inclusion(i), tree.root()))
          .isTrue();
    }
    for (int tile = 0; tile * Tile.FULL < leaves.size(); tile++) {
      int width = Tile.widthAt(0, tile, leaves.size());
      byte[] hashes = log.tile(new Tile(0, tile, width)).orElseThrow();
      for (int i = 0; i < width; i++) {
        byte[] hash = java.util.Arrays.copyOfRange(hashes, i * 32, i * 32 + 32);
        assertThat(hash).isEqualTo(leaves.get(tile * Tile.FULL + i));
      }
    }
    assertThat(log.tile(new Tile(0, leaves.size() / Tile.FULL, leaves.size() % Tile.FULL + 1)))
        .isEmpty();
  }

  @Test
  void anEmptyLogHasTheRootOfNothing() {
    MerkleLog log = new MerkleLog(store());
    assertThat(log.size()).isZero();
    assertThat(new Tree(log.nodes(), 0).root()).isEqualTo(TreeHash.empty());
  }

  @Test
  void growsThroughTilesBatchesAndRestarts() {
    append(store(), 1);
    holds();
    append(store(), 254);
    holds();
    append(store(), 1);
    holds();
    reopen();
    append(store(), 300);
    holds();
    reopen();
    append(store(), 500);
    holds();
  }

  @Test
  void aFailedBatchLeavesNoTrace() {
    append(store(), 250);
    // Ends in a conflict within the batch that would fill a tile.
    announce("agent:ap_00000000000000000000000000000001");
    AtOnce.run(
        40,
        i -> {
          if (i % 10 == 0) {
            try {
              announce("agent:ap_00000000000000000000000000000001");
            } catch (dev.safeconduct.error.ProblemException e) {
              // It exists; that is the point.
            }
          } else {
            LedgerTest.done(new Ledger(store()).commit(Fixtures.entry(Long.MAX_VALUE)));
          }
          return i;
        });
    holds();
  }

  @Test
  void nodesThatTakeTurnsGrowOneTree() {
    for (int round = 0; round < 6; round++) {
      append(node(round), 90);
      holds();
    }
    AtOnce.run(
        400, i -> LedgerTest.done(new Ledger(node(i)).commit(Fixtures.entry(Long.MAX_VALUE))));
    holds();
  }
}
