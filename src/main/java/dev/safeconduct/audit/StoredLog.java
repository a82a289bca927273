package dev.safeconduct.audit;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The log as it lies in the store, read without trust. */
public interface StoredLog {
  /** One row of the log. */
  sealed interface Row {
    /** A row that holds a record. */
    record Sound(StoredRecord record) implements Row {}

    /** A row that holds none any more. */
    record Broken(long logIndex, String why) implements Row {}
  }

  /** Every row in the order of the log, one after the other, in flat memory. */
  void each(Consumer<Row> row);

  /** The rows of a part of the log, both ends included, in its order. */
  void each(long first, long last, Consumer<Row> row);

  /** The hashes of a tile as they are kept. */
  Optional<byte[]> tile(int level, long index);

  /** How many tiles are kept. */
  long tiles();

  /** A checkpoint as it was kept: the size it is kept under, and the signed note. */
  record Kept(long size, String note) {}

  /**
   * A cosignature as it was kept, or why it cannot be read.
   *
   * @param size of the checkpoint it is for
   */
  record Cosigned(long size, Optional<Cosignature> cosignature) {}

  /** The cosignatures that were kept. */
  List<Cosigned> cosignatures();

  /** The checkpoints this service kept of what it signed, oldest first. */
  List<Kept> checkpoints();
}
