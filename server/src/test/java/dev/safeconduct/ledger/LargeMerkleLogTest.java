package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.MerkleLog;
import dev.safeconduct.db.Database;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.tlog.Proofs;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.Tree;
import dev.safeconduct.tlog.TreeHash;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log of more than 65,536 records has three levels of tiles. */
final class LargeMerkleLogTest {
  @TempDir Path folder;

  @Test
  void tilesOfTilesAreComplete() throws Exception {
    try (Database database = Database.open(StoreConfig.sqlite(folder))) {
      var random = new SecureRandom();
      WriterSession session =
          WriterSession.open(database, new SeenLog(Optional.empty()), List.of());
      for (int batch = 0; batch < 67; batch++) {
        WriterSession.Opening opening = session.begin(0, Set.of(), Set.of());
        var writes = new Writes(opening.nextIndex(), 0, 0);
        for (int i = 0; i < 1_000; i++) {
          var record = Fixtures.decision();
          writes.append(new LogEntry(record, Commitment.to(record, random)));
        }
        session.finish(writes);
      }
      session.close();
    }
    try (Storage store = Storage.open(StoreConfig.sqlite(folder))) {
      MerkleLog log = new MerkleLog(store);
      assertThat(log.tile(new Tile(2, 0, 1)))
          .hasValueSatisfying(top ->
              assertThat(top)
                  .isEqualTo(TreeHash.complete(log.tile(new Tile(1, 0, Tile.FULL)).orElseThrow())));
      assertThat(log.tile(new Tile(1, 1, 5))).isPresent();
      assertThat(log.tile(new Tile(1, 1, 6))).isEmpty();
      var tree = new Tree(log.nodes(), log.size());
      assertThat(tree.size()).isEqualTo(67_000);
      for (long index : List.of(0L, 255L, 256L, 65_535L, 65_536L, 66_999L)) {
        byte[] tile =
            log.tile(new Tile(0, index / 256, Tile.widthAt(0, index / 256, 67_000))).orElseThrow();
        int at = (int) (index % 256) * 32;
        byte[] leaf = java.util.Arrays.copyOfRange(tile, at, at + 32);
        assertThat(Proofs.includes(leaf, index, 67_000, tree.inclusion(index), tree.root()))
            .isTrue();
      }
      byte[] older = new Tree(log.nodes(), 65_537).root();
      assertThat(Proofs.consistent(65_537, older, 67_000, tree.root(), tree.consistency(65_537)))
          .isTrue();
    }
  }
}
