package dev.safeconduct.store;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A tile of the Merkle log as it is kept: full ones of leaf hashes, and those above as far as they
 * have come.
 *
 * @param hashes 32 bytes each, one after the other
 */
@SuppressWarnings("ArrayRecordComponent") // written once, never compared
record TileRow(int level, long index, byte[] hashes) {
  static void put(Connection connection, TileRow tile) throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO log_tile (level, tile, hashes) VALUES (?, ?, ?)"
            + " ON CONFLICT (level, tile) DO UPDATE SET hashes = excluded.hashes",
        tile.level(),
        tile.index(),
        tile.hashes());
  }
}
